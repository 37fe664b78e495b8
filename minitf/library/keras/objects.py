"""Objects that have names: found by a text, written as a configuration, made again from it.

    "relu"                                          <-->  the function
    {"class_name": "L1L2", "config": {"l1": 0.1}}   <-->  L1L2(l1=0.1)

Activations, initializers, regularizers, constraints, losses, metrics, optimizers and layers each
have a table of what they know by name, a `Family`. What a program defines itself it makes known in
a `custom_object_scope`. A name from a file only looks up a table: nothing that was read becomes
code.

Classes that only differ in arguments have one constructor, made by `constructor`.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any

KIND = Parameter.POSITIONAL_OR_KEYWORD

#: What a program made known, by name.
_CUSTOM: dict[str, Any] = {}
#: Marks an object that stands in another one's configuration.
_INSIDE = "__passive_serialization__"

_LIBRARY = __name__.partition(".")[0] + "."


def get_custom_objects() -> dict[str, Any]:
    """The table of the objects that a program made known by name; it may be changed.

    Example:
      >>> tf.keras.utils.get_custom_objects()["half"] = lambda x: x / 2
      >>> tf.keras.activations.get("half")(3.0)
      1.5
    """
    return _CUSTOM


@contextlib.contextmanager
def custom_object_scope(*args: Mapping[str, Any]) -> Iterator[None]:
    """Makes objects known by name while the block runs.

    Args:
      *args: dictionaries from names to classes and functions.
    """
    before = dict(_CUSTOM)
    for objects in args:
        _CUSTOM.update(objects)
    try:
        yield
    finally:
        _CUSTOM.clear()
        _CUSTOM.update(before)


CustomObjectScope = custom_object_scope


def get_registered_object(
    name: str, custom_objects: Mapping | None = None, module_objects: Mapping | None = None
) -> Any:
    """The class or function of a name, or None when no table has it."""
    for table in (_CUSTOM, custom_objects or {}, module_objects or {}):
        if name in table:
            return table[name]
    return None


def serialize_keras_object(instance: Any) -> Any:
    """The name of a function, or a dictionary with the class of an object and its configuration.

    Args:
      instance: a function or a class, an object with `get_config`, or None.

    Raises:
      ValueError: when it is none of these.
    Example:
      >>> tf.keras.utils.serialize_keras_object(tf.keras.regularizers.l2(0.5))
      {'class_name': 'L1L2', 'config': {'l1': 0.0, 'l2': 0.5}}
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config") and not inspect.isclass(instance):
        config = {key: _item(item) for key, item in instance.get_config().items()}
        return {"class_name": type(instance).__name__, "config": config}
    if hasattr(instance, "__name__"):
        known = str(instance.__module__).startswith(_LIBRARY)
        return instance.__name__ if known else Named(instance)
    raise ValueError("Cannot serialize", instance)


class Named(str):
    """The name of a function or a class, which remembers it: a copy needs no file."""

    def __new__(cls, thing: Any) -> Named:
        name = super().__new__(cls, thing.__name__)
        name.thing = thing
        return name

    thing: Any


def _item(item: Any) -> Any:
    """A value of a configuration: what can be serialized is."""
    if isinstance(item, str):
        return item
    try:
        serialized = serialize_keras_object(item)
    except ValueError:
        return item
    return {**serialized, _INSIDE: True} if isinstance(serialized, dict) else serialized


def deserialize_keras_object(
    identifier: Any,
    module_objects: Mapping[str, Any] | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    printable_module_name: str = "object",
) -> Any:
    """Makes an object from what `serialize_keras_object` returned.

    Args:
      identifier: a name, a dictionary with "class_name" and "config", or a function.
      module_objects: what is known by name.
      custom_objects: more of it.
      printable_module_name: what such an object is called in error messages.

    Raises:
      ValueError: when there is nothing of that name, or the dictionary is not of that form.
    """
    noun = printable_module_name
    if identifier is None:
        return None
    if isinstance(identifier, Mapping):
        return _from_config(identifier, module_objects, custom_objects, noun)
    if isinstance(identifier, str):
        found = get_registered_object(identifier, custom_objects, module_objects)
        found = found or getattr(identifier, "thing", None)
        if found is None:
            raise ValueError(f"Unknown {noun}:{identifier}")
        return found() if inspect.isclass(found) else found
    if inspect.isfunction(identifier):
        return identifier
    raise ValueError(f"Could not interpret serialized {noun}: {identifier}")


def _from_config(given: Mapping, known: Mapping | None, custom: Mapping | None, noun: str) -> Any:
    if "class_name" not in given or "config" not in given:
        raise ValueError(f"Improper config format: {given}")
    name, config = given["class_name"], given["config"]
    made_by = get_registered_object(name, custom, known)
    if made_by is None:
        raise ValueError(f"Unknown {noun}: {name}")
    if isinstance(config, Mapping):
        config = {key: _value(key, item, known, custom) for key, item in config.items()}
    if not hasattr(made_by, "from_config"):  # a function that makes the object
        with custom_object_scope(custom or {}):
            return made_by(**config)
    if "custom_objects" in inspect.signature(made_by.from_config).parameters:
        return made_by.from_config(config, custom_objects={**_CUSTOM, **(custom or {})})
    with custom_object_scope(custom or {}):
        return made_by.from_config(config)


def _value(key: str, item: Any, known: Mapping | None, custom: Mapping | None) -> Any:
    """A value of a configuration, with what was serialized inside made again."""
    if isinstance(item, Mapping) and _INSIDE in item:
        return deserialize_keras_object(item, known, custom, "config_item")
    if isinstance(item, str) and key != "name":
        function = get_registered_object(item, custom)
        return function if inspect.isfunction(function) else item
    return item


class Family:
    """One kind of named objects: `get`, `serialize` and `deserialize` of its module.

    Args:
      noun: what one is called in error messages, as "initializer".
      table: what is known by name: classes, or functions.
      makers: the names of functions that make one; others are one.
      error: what is raised for something that is no such object at all.
    """

    def __init__(
        self,
        noun: str,
        table: Mapping[str, Any],
        makers: Collection[str] = (),
        error: type[Exception] = ValueError,
    ) -> None:
        self._noun, self._table, self._makers, self._error = noun, table, makers, error

    def get(self, identifier: Any) -> Any:
        """The object that an identifier stands for.

        Args:
          identifier: a name, a configuration, a class, the object itself, or None.

        Raises:
          ValueError: when there is none of that name.
        """
        if isinstance(identifier, str) and identifier in self._makers:
            identifier = {"class_name": identifier, "config": {}}
        if isinstance(identifier, (str, Mapping)):
            return self.deserialize(identifier)
        if identifier is None or callable(identifier):
            return identifier() if inspect.isclass(identifier) else identifier
        raise self._error(f"Could not interpret {self._noun} identifier: {identifier}")

    #: the name or the configuration of an object, for `deserialize`
    serialize = staticmethod(serialize_keras_object)

    def deserialize(self, config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Makes an object from its name or its configuration.

        Args:
          config: what `serialize` returned.
          custom_objects: classes and functions that are known by name, too.
        """
        return deserialize_keras_object(config, self._table, custom_objects, self._noun)


class FromConfig:
    """What can be made of its configuration alone."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes the object that `get_config` described."""
        return cls(**config)


# ---- constructors --------------------------------------------------------------------------------


def defaults(**values: Any) -> list[Parameter]:
    """Parameters by their names and defaults, for `constructor`."""
    return [Parameter(name, KIND, default=value) for name, value in values.items()]


def constructor(parameters: Sequence[Parameter], start: Callable[..., None]) -> Any:
    """An `__init__` that takes these parameters, and calls `start(layer, **arguments)` with all.

    Args:
      parameters: those after `self`; the last one may be `**kwargs`.
      start: does the work.
    """
    signature = Signature([Parameter("self", KIND), *parameters])

    def __init__(*args: Any, **kwargs: Any) -> None:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:  # of `bind`, which knows no name
            raise TypeError(f"__init__() {error}") from None
        bound.apply_defaults()
        arguments = bound.arguments
        start(arguments.pop("self"), **arguments.pop("kwargs", {}), **arguments)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def parameters_of(layer_class: Any, **behind: Mapping[str, Any]) -> list[Parameter]:
    """The parameters of a class's constructor, and more of them.

    Args:
      layer_class: the class.
      **behind: for the name of a parameter, those that come behind it, by their defaults.
    """
    found = []
    for parameter in inspect.signature(layer_class).parameters.values():
        found.append(parameter)
        found += defaults(**behind.get(parameter.name, {}))
    return found

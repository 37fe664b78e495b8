"""How layers of Keras become layers of `tf.layers`, and these become functions.

keras Conv2D  --of_keras: other defaults, variable scopes-->  tf.layers.Conv2D
              --functional------------------------------->  tf.layers.conv2d
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.variables.initializers import Zeros

_KIND = inspect.Parameter.POSITIONAL_OR_KEYWORD
#: What `tf.layers` has where Keras names an initializer: None is that of the variable scope.
_DEFAULTS: dict[str, Any] = {
    "kernel_initializer": None,
    "depthwise_initializer": None,
    "pointwise_initializer": None,
    "bias_initializer": Zeros(),
    "data_format": "channels_last",
}


def of_keras(*without: str, required: int = 0, **defaults: Any) -> Callable[[Any], Any]:
    """Gives a class, made of a layer of Keras and `Layer`, the arguments of `tf.layers`.

    Args:
      *without: arguments of the layer of Keras that it does not take.
      required: how many of its first arguments have no default.
      **defaults: defaults that are its own.
    """
    given = {**_DEFAULTS, **defaults}

    def decorate(cls: Any) -> Any:
        own = list(inspect.signature(cls.__mro__[1]).parameters.values())
        rest = own.pop()
        own = [
            p.replace(default=given.get(p.name, p.default)) for p in own if p.name not in without
        ]
        own[:required] = [p.replace(default=p.empty) for p in own[:required]]
        names = {p.name for p in own}
        for name, default in (("trainable", True), ("name", None)):
            if name not in names:
                own.append(inspect.Parameter(name, _KIND, default=default))
        signature = inspect.Signature([*own, rest])

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            arguments = bound.arguments
            arguments.update(arguments.pop(rest.name))
            super(cls, self).__init__(**arguments)

        __init__.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[inspect.Parameter("self", _KIND), *own, rest]
        )
        cls.__init__ = __init__
        return cls

    return decorate


def functional(layer_class: type, name: str, sentence: str) -> Callable[..., Tensor]:
    """Makes the function that makes a layer and calls it: `tf.layers.conv2d` from `Conv2D`.

    Its arguments are the inputs, those of the class, and `reuse`.

    Args:
      layer_class: the class.
      name: the function's name.
      sentence: what it does.
    """
    own = list(inspect.signature(layer_class).parameters.values())
    rest = [own.pop()] if own[-1].kind is inspect.Parameter.VAR_KEYWORD else []
    reuse = inspect.Parameter("reuse", _KIND, default=None)
    signature = inspect.Signature([inspect.Parameter("inputs", _KIND), *own, reuse, *rest])

    def function(*args: Any, **kwargs: Any) -> Tensor:
        given = signature.bind(*args, **kwargs).arguments
        given.update(given.pop(rest[0].name, {}) if rest else {})
        inputs, shared = given.pop("inputs"), given.pop("reuse", None)
        return layer_class(**given, _scope=given.get("name"), _reuse=shared)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = layer_class.__module__
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"""{sentence}

    Args:
      inputs: what the layer is called with.
      reuse: whether to take the variables of the layer of that name.

    The other arguments are those of `{layer_class.__name__}`. Returns: what the layer returns.
    """
    return function

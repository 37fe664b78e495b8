"""Messages: dataclasses with the methods of protocol buffers, written as JSON.

    @dataclass
    class SaverDef(Message):
        filename_tensor_name: str = ""
        max_to_keep: int = 0

The fields of a message have defaults: numbers, texts, other messages, lists and dicts of them. The
JSON form, the way back and protobuf's text form follow from the fields.

    SaverDef(...) --SerializeToString()--> b'{"max_to_keep": ...}' --FromString()--> SaverDef
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
import operator
import types
import typing
from collections.abc import Callable
from typing import Any, Self

import numpy as np

_forms: list[Callable[[], Any]] = []


def add_form(load: Callable[[], Any]) -> None:
    """Registers a function that returns the module of TensorFlow's formats."""
    _forms.append(load)


def tensorflows_form() -> Any:
    """The module that reads and writes graphs as TensorFlow does."""
    return _forms[0]()


@functools.cache
def _field_types(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


class Message:
    """Base of the messages."""

    def ClearField(self, field_name: str) -> None:
        """Gives a field its default.

        Raises:
          ValueError: when there is no such field.
        """
        if field_name not in self.__dataclass_fields__:  # type: ignore[attr-defined]
            raise ValueError(f'Protocol message {type(self).__name__} has no "{field_name}" field.')
        setattr(self, field_name, getattr(type(self)(), field_name))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form as a dict; fields at their defaults are left out."""
        form = {}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if value or (value is not None and value != _default(field)):
                form[field.name] = _encode(value)
        return form

    @classmethod
    def from_dict(cls, form: Any) -> Self:
        """Reads the JSON form.

        Raises:
          ValueError: when it is not one.
        """
        if not isinstance(form, dict):
            raise ValueError(f"Not a {cls.__name__}: {str(form)[:200]}")
        hints = _field_types(cls)  # type: ignore[arg-type]
        unknown = form.keys() - hints.keys()
        if unknown:
            raise ValueError(f"A {cls.__name__} has no field {sorted(unknown)[0]!r}.")
        return cls(**{key: _decode(hints[key], value) for key, value in form.items()})

    def SerializeToString(self) -> bytes:
        """The JSON form as bytes."""
        return json.dumps(self.to_dict()).encode()

    def ParseFromString(self, data: bytes) -> int:
        """Takes the fields of a serialized message.

        Raises:
          ValueError: when it is none.
        """
        self.CopyFrom(self.FromString(data))
        return len(data)

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        """The message that `SerializeToString` made.

        Raises:
          ValueError: when it is none.
        """
        try:
            return cls.from_dict(json.loads(data))
        except RecursionError:
            raise ValueError(f"Not a {cls.__name__}: it is nested too deeply.") from None

    def CopyFrom(self, other: Self) -> None:
        """Takes all fields of `other`."""
        self.__dict__.update(copy.deepcopy(other.__dict__))

    def HasField(self, name: str) -> bool:
        """Whether a field has another value than its default.

        Raises:
          ValueError: when there is no such field.
        """
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            if field.name == name:
                return bool(getattr(self, name) != _default(field))
        raise ValueError(f"Protocol message {type(self).__name__} has no field {name}.")

    def __str__(self) -> str:
        return "".join(line + "\n" for line in text_lines(self))


class Options(Message):
    """A message that programs fill in; a value that does not fit raises protobuf's error.

    Numbers and Booleans convert to each other as in protobuf, those of NumPy too.
    """

    def __new__(cls, *values: Any, **fields: Any) -> Self:
        for name in fields:
            if name not in _field_types(cls):  # type: ignore[arg-type]
                raise ValueError(f'Protocol message {cls.__name__} has no "{name}" field.')
        return super().__new__(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets a field; None stands for its default.

        Raises:
          AttributeError: when there is no such field.
          TypeError: when the value is of another kind.
          ValueError: when it is a text that names none of the numbers of the field.
        """
        cls = type(self)
        field = cls.__dataclass_fields__.get(name)  # type: ignore[attr-defined]
        if field is None:
            raise AttributeError(f'Protocol message {cls.__name__} has no "{name}" field.')
        hint = _field_types(cls)[name]  # type: ignore[arg-type]
        if type(value) is hint:  # nothing to find out, in every run with options
            return super().__setattr__(name, value)
        if hint is int and isinstance(value, str) and any(each.isupper() for each in vars(cls)):
            if value not in vars(cls):
                raise ValueError(f'unknown enum label "{value}"')
            value = vars(cls)[value]
        super().__setattr__(name, _default(field) if value is None else _fitting(hint, value, cls))


def _fitting(hint: Any, value: Any, cls: type) -> Any:
    """Converts a value to the type of a field.

    Raises:
      TypeError: when it is of another kind.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return [_fitting(arguments[0], item, cls) for item in value]
    if origin is dict:
        key, item = arguments
        return {_fitting(key, k, cls): _fitting(item, v, cls) for k, v in dict(value).items()}
    if hint in (bool, int):
        return hint(value) if isinstance(value, np.bool_) else hint(operator.index(value))
    if hint is float:
        if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        return float(value)
    if hint is str:
        if not isinstance(value, (str, bytes)):
            raise TypeError("bad argument type for built-in operation")
        return value if isinstance(value, str) else value.decode()
    if isinstance(value, dict):
        return hint(**value)
    if not isinstance(value, hint):
        raise TypeError(f"Message must be initialized with a dict: tensorflow.{cls.__name__}")
    return value


class Repeated(list):
    """A list of messages that makes its own elements, as a repeated field does."""

    def __init__(self, kind: Any, items: typing.Iterable[Any] = ()) -> None:
        super().__init__(items)
        self._kind = kind

    def add(self, **fields: Any) -> Any:
        """Appends a new message with these fields, and returns it."""
        self.append(self._kind(**fields))
        return self[-1]


def _default(field: dataclasses.Field) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _encode(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, dict):
        return {key: _encode(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encode(item) for item in value]
    return value


def _decode(hint: Any, value: Any) -> Any:
    if hint is str or hint is bool or hint is int:  # nearly all; to look into a hint takes longer
        return _checked(hint, value)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):  # X | None
        return None if value is None else _decode(arguments[0], value)
    if origin is list:
        return [_decode(arguments[0], item) for item in _checked(list, value)]
    if origin is dict:
        items = _checked(dict, value).items()
        return {arguments[0](key): _decode(arguments[1], item) for key, item in items}
    if hasattr(hint, "from_dict"):
        return hint.from_dict(value)
    if hint is float:
        return float(_checked((int, float), value))
    return value if hint is Any else _checked(hint, value)


def _checked(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"Expected {kind}, got {str(value)[:100]!r}.")
    return value


def text_lines(message: Any) -> list[str]:
    """A message in protobuf's text form, line by line."""
    lines: list[str] = []
    for field in dataclasses.fields(message):
        value = getattr(message, field.name)
        if not value or value == _default(field):
            continue
        if isinstance(value, dict):
            for key in sorted(value):
                inner = [*_field_text("key", key), *_field_text("value", value[key])]
                lines += [f"{field.name} {{", *("  " + line for line in inner), "}"]
            continue
        for item in value if isinstance(value, list) else [value]:
            lines += _field_text(field.name, item)
    return lines


def _field_text(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"{name}: {str(value).lower()}"]
    if isinstance(value, (str, bytes)):
        text = value if isinstance(value, str) else value.decode("latin1")
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return [f'{name}: "{quoted}"']
    if isinstance(value, float):
        return [f"{name}: {value:.9g}"]
    if isinstance(value, int):
        return [f"{name}: {value}"]
    if dataclasses.is_dataclass(value):
        return [f"{name} {{", *["  " + line for line in str(value).splitlines()], "}"]
    return [f"{name}: {value}"]

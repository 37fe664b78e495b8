"""The attributes of a `NodeDef` as programs see them: `node.attr["strides"].list.i`.

A node keeps plain values (`NodeDef.attrs`), which everything in this package reads. What a program
is given are messages like protobuf's; the node takes their values back when its own are read next.

    node.attrs {"T": tf.float32} ──node.attr["T"]──> AttrValue(type: DT_FLOAT)
               {"T": tf.int32}   <──node.attrs─────  .type = 3
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.messages import TensorShapeProto
from minitf.core.graph.shapes import TensorShape

_forms: list[Callable[[], Any]] = []


def add_form(load: Callable[[], Any]) -> None:
    """Registers what gives the module that reads and writes graphs as TensorFlow does."""
    _forms.append(load)


def tensorflows_form() -> Any:
    """The module that reads and writes graphs as TensorFlow does."""
    return _forms[0]()


class TensorProto:
    """A tensor as a message; it holds an array.

    Args:
      array: its value.
    """

    def __init__(self, array: Any = 0.0) -> None:
        self.array = np.asarray(array)

    @property
    def dtype(self) -> int:
        """The number of its type."""
        return dtypes.as_dtype(self.array.dtype).as_datatype_enum

    @property
    def tensor_shape(self) -> TensorShapeProto:
        """Its shape."""
        return TensorShape(self.array.shape).as_proto()

    @property
    def tensor_content(self) -> bytes:
        """The bytes of its elements; empty when it has one or none, or texts."""
        plain = self.array.size > 1 and self.array.dtype != object
        return np.ascontiguousarray(self.array).tobytes() if plain else b""

    def __getattr__(self, name: str) -> list[Any]:
        """`float_val`, `int_val`, `string_val` ...: the elements that are written one by one."""
        if not name.endswith("_val"):
            raise AttributeError(f"'TensorProto' object has no attribute {name!r}")
        kind = dtypes.as_dtype(self.array.dtype).name
        kind = {"float32": "float", "float64": "double", "int64": "int64"}.get(
            kind, kind.rstrip("0123456789").lstrip("u")
        )
        wanted = name == f"{kind}_val" and not self.tensor_content
        return list(self.array.ravel().tolist()) if wanted else []

    def CopyFrom(self, other: Any) -> None:
        """Takes the value of another one, also of protobuf's own."""
        self.array = array_of(other)

    def SerializeToString(self) -> bytes:
        """The bytes that TensorFlow reads."""
        data: bytes = tensorflows_form().graph_message.encode_tensor(self.array)
        return data

    def __str__(self) -> str:
        form = tensorflows_form()
        return str(form.to_text(form.graph_message.encode_tensor(self.array), "TensorProto"))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, TensorProto) and np.array_equal(self.array, other.array)

    __hash__ = None  # type: ignore[assignment]


def array_of(message: Any) -> np.ndarray:
    """The value of a `TensorProto`, this one or protobuf's own."""
    if isinstance(message, TensorProto):
        return message.array
    array: np.ndarray = tensorflows_form().graph_message.tensor(message.SerializeToString())
    return array


def _same(value: Any) -> Any:
    return value


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


#: For each field of an AttrValue: what a plain value is there, how it is held, and the way back.
_FIELDS: dict[str, tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "s": ((str, bytes), lambda text: text.encode() if isinstance(text, str) else text, _text),
    "b": ((bool, np.bool_), bool, bool),
    "i": ((int, np.integer), int, int),
    "f": ((float, np.floating), float, float),
    "type": (DType, lambda dtype: dtype.as_datatype_enum, dtypes.as_dtype),
    "shape": (TensorShape, TensorShape.as_proto, TensorShape),
    "tensor": (np.ndarray, TensorProto, array_of),
    "list": ((list, tuple), lambda values: ListValue.of(values), lambda held: held.plain()),
    "func": (object, _same, _same),
}
_EMPTY: dict[str, Callable[[], Any]] = {
    "s": bytes,
    "b": bool,
    "i": int,
    "f": float,
    "type": int,
    "shape": TensorShapeProto,
    "tensor": TensorProto,
    "list": lambda: ListValue(),
    "func": lambda: None,
}
_PARTS = ("shape", "tensor", "list")  # messages: a program changes what they hold


def as_message_holds(value: Any) -> Any:
    """A plain value as the field of its message holds it; lists are lists."""
    if isinstance(value, (list, tuple)):
        return [as_message_holds(each) for each in value]
    kind = kind_of(value)
    return value if kind in (None, "type") else _FIELDS[str(kind)][1](value)


@functools.lru_cache(maxsize=1024)
def _kind_of_type(kind: type) -> str | None:
    if kind is type(None):
        return None
    return next(name for name, (kinds, _, _) in _FIELDS.items() if issubclass(kind, kinds))


def kind_of(value: Any) -> str | None:
    """The field of an AttrValue that holds a plain value; None for None."""
    return _kind_of_type(value.__class__)


class ListValue:
    """The lists that an attribute may hold: one of `s`, `i`, `f`, `b`, `type`, `shape`, `tensor`.

    Args:
      fields: the lists by name.
    """

    def __init__(self, **fields: Any) -> None:
        for name in _FIELDS:
            setattr(self, name, list(fields.get(name, ())))

    @staticmethod
    def of(values: Any) -> ListValue:
        """The list of plain values."""
        kind = kind_of(values[0]) if len(values) else None
        return ListValue(**{kind: [_FIELDS[kind][1](v) for v in values]} if kind else {})

    def plain(self) -> tuple:
        """The plain values."""
        kind = next((name for name in _FIELDS if getattr(self, name)), "i")
        return tuple(_FIELDS[kind][2](held) for held in getattr(self, kind))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ListValue) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


class AttrValue:
    """The value of an attribute: one of the fields `s`, `i`, `f`, `b`, `type`, `shape`, `tensor`,
    `list` and `func` is set.

    Args:
      fields: the field that is set, by name.
    Example:
      >>> strides = tf.AttrValue(list=tf.AttrValue.ListValue(i=[1, 2, 2, 1]))
      >>> strides.WhichOneof("value"), strides.list.i
      ('list', [1, 2, 2, 1])
    """

    ListValue = ListValue

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(_plain=None, _parts={})
        for name, value in fields.items():
            self.__dict__["_plain"] = _FIELDS[name][2](value)

    @staticmethod
    def of(plain: Any) -> AttrValue:
        """The message of a plain value."""
        made = AttrValue()
        made.__dict__["_plain"] = plain
        return made

    @property
    def plain(self) -> Any:
        """The plain value, with what a program did to the parts."""
        for name, part in self._parts.items():
            if kind_of(self._plain) == name or part != _EMPTY[name]():
                return _FIELDS[name][2](part)
        return self._plain

    def __getattr__(self, name: str) -> Any:
        if name not in _FIELDS:
            raise AttributeError(f"'AttrValue' object has no attribute {name!r}")
        if name in self._parts:
            return self._parts[name]
        plain = self._plain
        held = _FIELDS[name][1](plain) if kind_of(plain) == name else _EMPTY[name]()
        if name in _PARTS:
            self._parts[name] = held
        return held

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _FIELDS or name in _PARTS:
            raise AttributeError(f'Assignment not allowed to field "{name}" of an AttrValue.')
        self.__dict__.update(_plain=_FIELDS[name][2](value), _parts={})

    def WhichOneof(self, group: str = "value") -> str | None:
        """The field that is set, or None."""
        return kind_of(self.plain)

    def HasField(self, name: str) -> bool:
        """Whether a field is set."""
        return self.WhichOneof() == name

    def CopyFrom(self, other: Any) -> None:
        """Takes the value of another one, also of protobuf's own."""
        self.__dict__.update(_plain=plain_attr(other), _parts={})

    MergeFrom = CopyFrom

    def __str__(self) -> str:
        form = tensorflows_form()
        return str(form.to_text(form.graph_message.encode_attr(self.plain), "AttrValue"))

    def __eq__(self, other: Any) -> bool:
        return bool(np.all(self.plain == plain_attr(other)))

    __hash__ = None  # type: ignore[assignment]


def plain_attr(value: Any) -> Any:
    """The plain value of an `AttrValue`, this one or protobuf's own; any other value as it is."""
    if isinstance(value, AttrValue):
        return value.plain
    if not hasattr(value, "WhichOneof"):
        return value
    kind = value.WhichOneof("value")
    if kind == "list":
        return ListValue(**{field.name: held for field, held in value.list.ListFields()}).plain()
    return _FIELDS[kind][2](getattr(value, kind)) if kind in _FIELDS else None


class AttrMap(MutableMapping):
    """`NodeDef.attr`: messages by name; one that is asked for is made.

    Args:
      plain: the plain values of the node.
      given: the messages that programs were given.
    """

    def __init__(self, plain: dict[str, Any], given: dict[str, AttrValue]) -> None:
        self._held, self._given = plain, given

    def __getitem__(self, key: str) -> AttrValue:
        if key not in self._given:
            plain = self._held.get(key)
            if key in ("shape", "element_shape") and isinstance(plain, (list, tuple)):
                plain = TensorShape(plain)
            self._given[key] = AttrValue.of(plain)
        return self._given[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._given.pop(key, None)
        self._held[key] = plain_attr(value)

    def __delitem__(self, key: str) -> None:
        if self._held.pop(key, None) is None and key not in self._given:
            raise KeyError(key)
        self._given.pop(key, None)

    def take_back(self) -> None:
        """Has the plain values be those of the messages."""
        for key, message in self._given.items():
            if (plain := message.plain) is not None or key in self._held:
                self._held[key] = plain

    def __contains__(self, key: Any) -> bool:
        self.take_back()
        return key in self._held

    def get(self, key: str, default: Any = None) -> Any:
        """The message of an attribute, or `default`."""
        return self[key] if key in self else default

    def __iter__(self) -> Iterator[str]:
        self.take_back()
        return iter(tuple(self._held))

    def __len__(self) -> int:
        self.take_back()
        return len(self._held)

    def __repr__(self) -> str:
        return repr(dict(self))

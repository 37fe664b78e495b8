"""The attributes of a `NodeDef` as programs see them: `node.attr["strides"].list.i`.

A node keeps plain values (`NodeDef.attrs`), which this package reads. A program gets messages of
TensorBoard's package. The node takes over the messages that changed when its values are read next.

    node.attrs {"T": tf.float32} ──node.attr["T"]──> AttrValue(type: DT_FLOAT)
               {"T": tf.int32}   <──node.attrs─────  .type = 3
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import DType
from minitf.core.graph.messages import tensorflows_form
from minitf.core.graph.shapes import TensorShape

#: The plain values that each field of an AttrValue stands for.
_KINDS: dict[str, Any] = {
    "s": (str, bytes),
    "b": (bool, np.bool_),
    "i": (int, np.integer),
    "f": (float, np.floating),
    "type": DType,
    "shape": TensorShape,
    "tensor": np.ndarray,
    "list": (list, tuple),
    "func": object,
}


@functools.lru_cache(maxsize=1024)
def _kind_of_type(kind: type) -> str | None:
    if kind is type(None):
        return None
    return next(name for name, kinds in _KINDS.items() if issubclass(kind, kinds))


def kind_of(value: Any) -> str | None:
    """The field of an AttrValue that holds a plain value; None for None."""
    return _kind_of_type(value.__class__)


def as_message_holds(value: Any) -> Any:
    """A plain value as the field of its message holds it; lists are lists."""
    if isinstance(value, (list, tuple)):
        return [as_message_holds(each) for each in value]
    if isinstance(value, (TensorShape, np.ndarray)):
        return getattr(tensorflows_form().attr_proto(value), str(kind_of(value)))
    if isinstance(value, np.generic):
        return value.item()
    return value.encode() if isinstance(value, str) else value


class AttrMap(MutableMapping):
    """`NodeDef.attr`: messages by name, made when they are first asked for.

    Args:
      plain: the plain values of the node.
      given: the messages that programs have got, each with its bytes at that time.
    """

    def __init__(self, plain: dict[str, Any], given: dict[str, tuple[Any, bytes]]) -> None:
        self._held, self._given = plain, given

    def __getitem__(self, key: str) -> Any:
        if key not in self._given:
            plain = self._held.get(key)
            if key in ("shape", "element_shape") and isinstance(plain, (list, tuple)):
                plain = TensorShape(plain)
            message = tensorflows_form().attr_proto(plain)
            self._given[key] = message, message.SerializeToString()
        return self._given[key][0]

    def __setitem__(self, key: str, value: Any) -> None:
        raise ValueError("May not set values directly, call my_map[key].foo = 5")

    def __delitem__(self, key: str) -> None:
        if self._held.pop(key, None) is None and key not in self._given:
            raise KeyError(key)
        self._given.pop(key, None)

    def take_back(self) -> None:
        """Copies the messages that a program changed to the plain values."""
        for key, (message, before) in self._given.items():
            now = message.SerializeToString()
            if now != before:
                self._held[key] = tensorflows_form().plain_attr(message)
                self._given[key] = message, now

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

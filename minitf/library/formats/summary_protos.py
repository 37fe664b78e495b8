"""TensorBoard's messages; only this module imports the `tensorboard` package.

Summaries, events and the graphs in them travel in the protocol buffers that TensorBoard reads, and
programs see the attributes of nodes as such. The package brings the classes; it is imported when
the first message is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from minitf.library.formats.graph_message import attr, encode_whole_tensor, shown_attr

#: the messages that have a name in `tf` or `tf.summary`
_MESSAGES = (
    "AttrValue",
    "Event",
    "HistogramProto",
    "SessionLog",
    "Summary",
    "SummaryDescription",
    "SummaryMetadata",
    "TaggedRunMetadata",
)


#: the files of the package that say what those, graphs and traces are made of; what nearly all
#: programs need first, since the others bring two dozen more
_FILES = (
    *("event", "summary", "tensor", "tensor_shape", "types"),
    *("attr_value", "node_def", "graph", "step_stats", "meta_graph", "config", "tfprof_log"),
)


class _Messages:
    """The message classes of a package by their names; a file is read when it is needed."""

    def __init__(self, package: str, files: Sequence[str]) -> None:
        self._package, self._files = package, files

    def __getattr__(self, name: str) -> Any:
        for file in self._files if not name.startswith("_") else ():
            found = vars(self._module(file))
            if name in found:
                setattr(self, name, found[name])
                return found[name]
        raise AttributeError(f"{self._package} has no message {name!r}")

    def _module(self, file: str) -> ModuleType:
        return _imported(f"{self._package}.{file}_pb2")


def _imported(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(
            "Summaries and attributes of nodes are in TensorBoard's format, by its package: "
            "pip install 'minitf[tensorboard]'."
        ) from None


_events = _Messages("tensorboard.compat.proto", _FILES)
_projector = _Messages("tensorboard.plugins.projector", ("projector_config",))


def protos() -> Any:
    """The message classes, by name.

    Raises:
      ImportError: at the first of them, when TensorBoard is not installed.
    """
    return _events


def projector_protos() -> Any:
    """Those of the embedding projector, whose package is slow to import."""
    return _projector


def shape_proto(sizes: Any) -> Any:
    """A shape as a message.

    Args:
      sizes: list of int or None (an open size); None for an unknown rank.
    """
    kinds = protos()
    if sizes is None:
        return kinds.TensorShapeProto(unknown_rank=True)
    dims = [kinds.TensorShapeProto.Dim(size=-1 if size is None else int(size)) for size in sizes]
    return kinds.TensorShapeProto(dim=dims)


def tensor_proto(value: Any) -> Any:
    """An array as a message."""
    return protos().TensorProto.FromString(encode_whole_tensor(value))


def attr_proto(value: Any) -> Any:
    """The plain value of an attribute as an `AttrValue`; an empty one if it is in no field."""
    kinds = protos()
    if isinstance(value, np.ndarray) and value.size > 1:
        return kinds.AttrValue(tensor=tensor_proto(value))
    return kinds.AttrValue.FromString(shown_attr(value))


def plain_attr(message: Any) -> Any:
    """The plain value of an `AttrValue`; texts as `str`, lists as tuples."""
    value = attr(message.SerializeToString())
    return tuple(map(_text, value)) if isinstance(value, tuple) else _text(value)


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def __getattr__(name: str) -> Any:
    """The messages by name, for the stubs of the public API."""
    if name in _MESSAGES:
        return getattr(protos(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

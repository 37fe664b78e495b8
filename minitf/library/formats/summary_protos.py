"""TensorBoard's messages: the one door to the `tensorboard` package, and tensors as messages.

Summaries, events and the graphs in them travel in the protocol buffers that TensorBoard reads. Its
package brings the classes; it is imported when the first summary is made.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from minitf.core.graph import dtypes

#: the messages that have a name in `tf` or `tf.summary`
_MESSAGES = (
    "Event",
    "HistogramProto",
    "SessionLog",
    "Summary",
    "SummaryDescription",
    "SummaryMetadata",
    "TaggedRunMetadata",
)


#: the files of the package that say what those, graphs and traces are made of
_MODULES = (
    *("attr_value", "config", "event", "graph", "meta_graph", "node_def"),
    *("step_stats", "summary", "tensor", "tensor_shape", "types"),
)


def protos() -> SimpleNamespace:
    """The message classes, by name.

    Raises:
      ImportError: when TensorBoard is not installed.
    """
    return _classes("tensorboard.compat.proto", _MODULES)


def projector_protos() -> SimpleNamespace:
    """Those of the embedding projector, whose package is slow to import."""
    return _classes("tensorboard.plugins.projector", ("projector_config",))


@functools.cache
def _classes(package: str, files: Sequence[str]) -> SimpleNamespace:
    try:
        modules = [import_module(f"{package}.{name}_pb2") for name in files]
    except ImportError:
        raise ImportError(
            "Summaries are written in TensorBoard's format, by its package: "
            "pip install 'minitf[tensorboard]'."
        ) from None
    return SimpleNamespace(
        **{
            name: kind
            for module in modules
            for name, kind in vars(module).items()
            if not name.startswith("_")
        }
    )


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
    kinds = protos()
    array = np.asarray(value)
    dtype = dtypes.as_dtype(array.dtype)
    message = kinds.TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shape_proto(array.shape))
    if dtype == dtypes.string:
        message.string_val.extend(array.ravel().tolist())
    else:
        message.tensor_content = np.ascontiguousarray(array).tobytes()
    return message


def __getattr__(name: str) -> Any:
    """The messages by name, for the stubs of the face."""
    if name in _MESSAGES:
        return getattr(protos(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

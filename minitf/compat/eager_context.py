"""`tensorflow.python.eager.context`: which way of executing holds, and changing it for a block."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from minitf.framework.eager import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_SILENT_FOR_INT32,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    eager_mode,
)
from minitf.framework.graph import Graph
from minitf.framework.stacks import device, executing_eagerly
from minitf.runtime.devices import count_gpus as num_gpus

in_eager_mode = executing_eagerly

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_SILENT_FOR_INT32",
    "DEVICE_PLACEMENT_WARN",
    "SYNC",
    "device",
    "eager_mode",
    "executing_eagerly",
    "graph_mode",
    "in_eager_mode",
    "num_gpus",
]


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A block in which operations are added to a graph, whatever holds around it."""
    if not executing_eagerly():
        yield
        return
    with Graph().as_default():
        yield

"""`tensorflow.python.eager.context`: which way of executing holds, and changing it for a block.

The other names of that module are those of library/eager/context.py and core/graph/stacks.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import executing_eagerly
from minitf.core.runtime.run.devices import count_gpus as num_gpus
from minitf.library.eager.context import SYNC

in_eager_mode = executing_eagerly


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A block in which operations are added to a graph, whatever holds around it."""
    if not executing_eagerly():
        yield
        return
    with Graph().as_default():
        yield


class _Context:
    """What `context()` gives: the same answers as an object."""

    def executing_eagerly(self) -> bool:
        """Whether operations run at once."""
        return executing_eagerly()

    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return num_gpus()

    def ensure_initialized(self) -> None:
        """Nothing waits to be set up."""

    async_wait = clear_caches = clear_kernel_cache = ensure_initialized

    @property
    def execution_mode(self) -> int:
        """SYNC: an operation is done when its call returns."""
        return SYNC


_CONTEXT = _Context()


def context() -> _Context:
    """The context of this process."""
    return _CONTEXT


@contextlib.contextmanager
def execution_mode(mode: int) -> Iterator[None]:
    """A block in which operations may run later than their call; here they never do."""
    yield


def set_execution_mode(mode: int) -> None:
    """Accepts a mode; operations are done when their call returns."""


def async_wait() -> None:
    """Waits for nothing: all operations are done."""

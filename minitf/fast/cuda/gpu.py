"""Real GPUs: the one file that imports CuPy, when it is installed and a card is there.

Each card has one stream of its own, and everything for that card goes there: kernels, copies to it
and copies from it. So they follow each other without anybody waiting, and a step waits once, when
it has started everything and wants its fetches.

    host    feed─┐                                             ┌─wait─> fetches
    card         └─copy──kernel──kernel──kernel──copy to host──┘
"""

from __future__ import annotations

import importlib.util
import math
import threading
import time
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from minitf.core.kernels.host import arrive_from
from minitf.fast.cuda import gpu_blas


@cache
def module() -> Any:
    """The CuPy module, or None when it is not installed or finds no card."""
    if importlib.util.find_spec("cupy") is None:
        return None
    try:
        import cupy

        return cupy if cupy.cuda.runtime.getDeviceCount() > 0 else None
    except Exception:  # a missing driver shows as any of CuPy's errors; then there is no card
        return None


_MANY = 8  # arrays: to join more, CuPy sends a list of addresses to the card


class _Arrays(types.ModuleType):
    """CuPy as kernels see it: with products and joins that a stream can capture."""

    def __init__(self, cupy: Any) -> None:
        super().__init__(cupy.__name__)
        self._cupy = cupy

    def matmul(self, a: Any, b: Any, out: Any = None) -> Any:
        """The product of matrices, or of stacks of them."""
        return gpu_blas.matmul(self._cupy, a, b, out)

    def dot(self, a: Any, b: Any, out: Any = None) -> Any:
        """The product of matrices; of vectors CuPy's."""
        return (self.matmul if a.ndim == b.ndim == 2 else self._cupy.dot)(a, b, out)

    def concatenate(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        """Joins arrays along an axis; while a stream captures, many are copied one by one."""
        if len(arrays) <= _MANY or not self._cupy.cuda.get_current_stream().is_capturing():
            return self._cupy.concatenate(arrays, axis)
        before = (slice(None),) * (axis % arrays[0].ndim)
        sizes = list(arrays[0].shape)
        sizes[axis] = sum(a.shape[axis] for a in arrays)
        joined, start = self._cupy.empty(sizes, np.result_type(*(a.dtype for a in arrays))), 0
        for each in arrays:
            stop = start + each.shape[axis]
            joined[(*before, slice(start, stop))] = each
            start = stop
        return joined

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        """Joins arrays along a new axis."""
        axis %= arrays[0].ndim + 1
        place = (*(slice(None),) * axis, None)
        return self.concatenate([a[place] for a in arrays], axis)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._cupy, name)
        setattr(self, name, value)
        return value


@cache
def arrays() -> Any:
    """The array module of cards: what kernels get as `xp`."""
    return _Arrays(module())


def count() -> int:
    """How many cards are visible."""
    cupy = module()
    return 0 if cupy is None else cupy.cuda.runtime.getDeviceCount()


def describe(ordinal: int) -> str:
    """The card's name and memory."""
    properties = module().cuda.runtime.getDeviceProperties(ordinal)
    gigabytes = properties["totalGlobalMem"] / 2**30
    return f"{properties['name'].decode()} ({gigabytes:.0f} GiB, CuPy)"


# ---- streams -----------------------------------------------------------------------------

_streams: dict[int, Any] = {}
_lock = threading.Lock()


def stream(ordinal: int) -> Any:
    """The stream of a card. It does not wait for the default stream, which others may use."""
    with _lock:
        if ordinal not in _streams:
            cuda = module().cuda
            with cuda.Device(ordinal):
                _streams[ordinal] = cuda.Stream(non_blocking=True)
        return _streams[ordinal]


@contextmanager
def on(ordinal: int) -> Iterator[Any]:
    """A context in which this thread's work goes to the stream of a card; gives the stream."""
    own = stream(ordinal)
    with module().cuda.Device(ordinal), own:
        yield own


def clock(ordinal: int) -> int:
    """The time in nanoseconds at which a card has done what it was asked for until now."""
    stream(ordinal).synchronize()
    return time.time_ns()


# ---- copies ------------------------------------------------------------------------------


def is_card_array(value: Any) -> bool:
    """Whether the array lives on a card."""
    return type(value).__module__.partition(".")[0] == "cupy"


def to_card(value: Any, ordinal: int) -> Any:
    """Copies an array or scalar to a card. Nobody waits.

    CuPy copies what comes from the host into pinned memory first, so that the caller may change
    its array at once. Between cards both streams wait: this one until the array is there, and that
    of the other card until it has been read.
    """
    with on(ordinal) as own:
        if not is_card_array(value) or value.device.id == ordinal:
            return module().array(value)
        with on(value.device.id) as other:
            value = module().ascontiguousarray(value)  # CuPy copies no other between cards
            ready = other.record()
        own.wait_event(ready)
        copied = module().array(value)
        other.wait_event(own.record())
        return copied


def _to_host(value: Any) -> Any:
    host = value.get(stream=stream(value.device.id))
    return host[()] if host.ndim == 0 else host


arrive_from("cupy", _to_host)


def on_card(value: Any) -> Any:
    """The value on the current card, not copied when it is there already."""
    return module().asarray(value)


def empty_pinned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array in pinned memory, which a card can copy from and to while the host goes on."""
    dtype = np.dtype(dtype)
    count = math.prod(shape)
    memory = module().cuda.alloc_pinned_memory(max(count, 1) * dtype.itemsize)
    return np.frombuffer(memory, dtype, count).reshape(shape)


def fetched(values: Sequence[Any], ordinal: int) -> tuple:
    """Copies what a program returns to the host, waiting once for all of it.

    The copies go to pinned memory, without which they could not run beside the host; the caller
    gets arrays in ordinary memory, since pinned memory is scarce.
    """
    staged = []
    for value in values:
        if is_card_array(value) and value.size:
            pinned = empty_pinned(value.shape, value.dtype)
            value.get(stream=stream(ordinal), out=pinned, blocking=False)
            value = pinned
        elif is_card_array(value):
            value = np.empty(value.shape, value.dtype)
        staged.append(value)
    stream(ordinal).synchronize()
    return tuple(
        (v.copy() if v.ndim else v[()]) if isinstance(v, np.ndarray) else v for v in staged
    )

"""The part of CuPy's stand-in that is CUDA: cards, streams, events, graphs, and cuBLAS.

Everything on a stream is done at once, and written down in `log`; while a stream captures, it is
kept instead, and done when the graph is launched. See cupy_double.py.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

log: list[tuple] = []
_local = threading.local()


def capturing() -> bool:
    """Whether the thread's current stream captures."""
    return cuda.get_current_stream().graph is not None


def wait_for(what: str) -> None:
    if capturing():
        raise RuntimeError(f"the current stream is capturing, so {what} are not allowed")
    log.append(("wait", what))


_numbers = itertools.count(1)


class Graph:
    """What was launched while a stream captured."""

    def __init__(self, thunks: list[Callable[[], Any]]) -> None:
        self._thunks = thunks

    def launch(self, stream: Any = None) -> None:
        stream = stream or cuda.get_current_stream()
        log.append(("graph", stream.name))
        for thunk in self._thunks:
            thunk()


class Event:
    """A point of a stream."""

    def __init__(self, block: bool = False, disable_timing: bool = False) -> None:
        self.number = next(_numbers)

    def record(self, stream: Any = None) -> None:
        log.append(("record", (stream or cuda.get_current_stream()).name, self.number))

    def synchronize(self) -> None:
        wait_for(f"event {self.number}")


class Stream:
    """A stream; everything on it is done at once, or kept while it captures."""

    def __init__(self, null: bool = False, non_blocking: bool = False) -> None:
        self.device_id = cuda.runtime.getDevice()
        self.ptr = 0 if null else next(_numbers)
        self.name = f"stream of card {self.device_id}" if self.ptr else "null"
        self.graph: list | None = None
        assert null or non_blocking, "a stream that waits for the default stream"

    def __enter__(self) -> Stream:
        assert cuda.runtime.getDevice() == self.device_id, "a stream of another card"
        _state().streams.append(self)
        return self

    def __exit__(self, *args: Any) -> None:
        assert _state().streams.pop() is self

    def do(self, thunk: Callable[[], Any]) -> None:
        if self.graph is None:
            thunk()
        else:
            self.graph.append(thunk)

    def synchronize(self) -> None:
        if self.graph is not None:
            raise RuntimeError("operation not permitted when stream is capturing")
        log.append(("synchronize", self.name))

    def record(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        log.append(("wait_event", self.name, event.number))

    def begin_capture(self, mode: Any = None) -> None:
        assert self.ptr, "cannot capture on the default stream"
        self.graph = []
        log.append(("begin_capture", self.name))

    def end_capture(self) -> Graph:
        assert self.graph is not None
        graph, self.graph = Graph(self.graph), None
        log.append(("end_capture", self.name))
        return graph

    def is_capturing(self) -> bool:
        return self.graph is not None


def _state() -> Any:
    if not hasattr(_local, "streams"):
        _local.card, _local.streams = 0, [_NULL]
    return _local


class Device:
    """A card."""

    def __init__(self, device: int | None = None) -> None:
        self.id = cuda.runtime.getDevice() if device is None else int(device)
        self._before: list[int] = []
        self.compute_capability = "90"
        self.cublas_handle = 1

    def __enter__(self) -> Device:
        self._before.append(_state().card)
        _local.card = self.id
        return self

    def __exit__(self, *args: Any) -> None:
        _local.card = self._before.pop()

    def synchronize(self) -> None:
        log.append(("synchronize device", self.id))


class MemoryPool:
    """A pool of memory."""

    def malloc(self, size: int) -> Any:
        raise AssertionError("the double allocates by itself")


@contextlib.contextmanager
def _using_allocator(allocator: Any) -> Any:
    log.append(("allocator", type(getattr(allocator, "__self__", None)).__name__))
    yield


cuda = types.SimpleNamespace(
    Device=Device,
    Stream=Stream,
    Event=Event,
    MemoryPool=MemoryPool,
    using_allocator=_using_allocator,
    alloc_pinned_memory=lambda size: bytearray(size),
    cublas=types.SimpleNamespace(getVersion=lambda handle: 120304),
    get_current_stream=lambda: _state().streams[-1],
    runtime=types.SimpleNamespace(
        getDevice=lambda: getattr(_local, "card", 0),
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda i: {"name": b"Double", "totalGlobalMem": 2**30},
    ),
)
_NULL = Stream(null=True)


# ---- cuBLAS ------------------------------------------------------------------------------


class FakeBlas:
    """libcublas as ctypes finds it: matrices by columns, at addresses."""

    def __init__(self) -> None:
        self.calls: list[tuple] = []
        self.stream: Any = None

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cublas"):
            raise AttributeError(name)
        return lambda *args: self._call(name, [getattr(a, "value", a) for a in args], args)

    def _call(self, name: str, values: list, args: Any) -> int:
        if name == "cublasCreate_v2":
            args[0]._obj.value = 4711
        elif name == "cublasGemmStridedBatchedEx":
            self._gemm(values)
        self.calls.append((name, *values))
        return 0

    def _gemm(self, v: list) -> None:
        (_, turn_a, turn_b, m, n, k, alpha, a, type_a, lda, step_a) = v[:11]
        (b, type_b, ldb, step_b, beta, c, type_c, ldc, step_c, count, compute, _) = v[11:]
        dtype = {0: np.float32, 1: np.float64, 2: np.float16}[type_a]
        assert type_a == type_b == type_c
        scale = ctypes.c_double if dtype is np.float64 else ctypes.c_float
        assert compute in {np.float64: (70,)}.get(dtype, (68, 77))
        assert type(alpha._obj) is type(beta._obj) is scale
        assert (alpha._obj.value, beta._obj.value) == (1, 0)

        def run() -> None:
            for i in range(count):
                left = _columns(a, i * step_a, (k, m) if turn_a else (m, k), lda, dtype)
                right = _columns(b, i * step_b, (n, k) if turn_b else (k, n), ldb, dtype)
                product = (left.T if turn_a else left) @ (right.T if turn_b else right)
                _columns(c, i * step_c, (m, n), ldc, dtype)[...] = product

        log.append(("kernel", "gemm", cuda.get_current_stream().name))
        cuda.get_current_stream().do(run)


def _at(address: int, shape: Any, steps: Any, dtype: Any) -> np.ndarray:
    size = np.dtype(dtype).itemsize
    length = 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    memory = (ctypes.c_char * (max(length, 1) * size)).from_address(address)
    flat = np.frombuffer(memory, dtype)
    return np.lib.stride_tricks.as_strided(flat, shape, [s * size for s in steps])


def _columns(address: int, start: int, shape: Any, leading: int, dtype: Any) -> np.ndarray:
    assert leading >= max(1, shape[0])
    return _at(address + start * np.dtype(dtype).itemsize, shape, (1, leading), dtype)

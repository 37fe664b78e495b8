"""Splits long work over worker threads, which sleep while they wait.

The threads of a BLAS library spin while they wait, which wastes the processors of a server with
many kernels. These threads sleep: handing a piece over takes 2 to 11 us, so only work above about
100 us is split. Kernels must release Python's lock while they compute, as NumPy does on large
arrays.

A step over several devices has a thread for each. Threads that compute share the processors.
"""

from __future__ import annotations

import ctypes
import functools
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

import numpy as np

from minitf.core.graph.process import in_child
from minitf.core.kernels.float_mode import denormals_as_zero

_lock = threading.Lock()
_inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_started = 0
_count = 0  # how many threads compute together, the caller's included; 0: not yet decided
_devices = 0  # how many threads run the program of one device of several, and do not wait
_moved = 0.0  # when a thread was last moved to another processor, in seconds
_own = threading.local()  # `is_device`: whether this thread is one of them


@cache
def can_start() -> bool:
    """Whether this process may start threads; in a browser it may not."""
    try:
        threading.Thread(target=int).start()
    except RuntimeError:
        return False
    return True


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def configure(count: int) -> None:
    """Sets how many threads work on one operation; the first session decides.

    Args:
      count: of `ConfigProto.intra_op_parallelism_threads`; 0 leaves it to MINITF_THREADS, or else
        to the number of processors.
    """
    global _count
    with _lock:
        if not _count:
            wish = os.environ.get("MINITF_THREADS", "")
            _count = count if count > 0 else int(wish) if wish.isdigit() and int(wish) else 0
            _count = (_count or _processors()) if can_start() else 1


def count() -> int:
    """How many threads work on one operation."""
    if not _count:
        configure(0)
    return _count


@contextmanager
def device_program() -> Iterator[None]:
    """A context in which this thread runs the program of one of several devices."""
    outer = getattr(_own, "is_device", False)  # of a step that a step's Python function runs
    _own.is_device = True
    _add_devices(1)
    try:
        yield
    finally:
        _own.is_device = outer
        _add_devices(-1)


@contextmanager
def waiting() -> Iterator[None]:
    """A context in which this thread waits, so that others may use its processor."""
    if not getattr(_own, "is_device", False):
        yield
        return
    _add_devices(-1)
    try:
        yield
    finally:
        _add_devices(1)


def _add_devices(change: int) -> None:
    global _devices
    with _lock:
        _devices += change


def split(run: Callable[[int, int], None], size: int, least: int) -> None:
    """Calls `run(start, stop)` on pieces that cover `range(size)`, in several threads at once.

    Args:
      run: works on one piece; pieces do not depend on each other.
      size: of the whole.
      least: how much makes a piece of about 50 us: what is less than two pieces is not split.
    Raises:
      Exception: what the first failing piece raised, after all pieces have ended.
    """
    pieces = min((_count or count()) - max(_devices - 1, 0), size // max(least, 1))
    if pieces < 2:
        run(0, size)
        return
    _start(pieces - 1)
    done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
    processor = _processor()

    def work(start: int, stop: int, of: int = -1) -> None:
        try:
            _leave(of)
            run(start, stop)
            done.put(None)
        except BaseException as error:
            done.put(error)

    bounds = [size * i // pieces for i in range(pieces + 1)]
    for start, stop in zip(bounds[1:-1], bounds[2:]):
        _inbox.put(functools.partial(work, start, stop, processor))
    work(0, bounds[1])
    failed = [error for error in (done.get() for _ in range(pieces)) if error is not None]
    if failed:
        raise failed[0]


#: On which processor this thread runs; always the same where the system does not say.
_processor: Callable[[], int] = (
    ctypes.PyDLL(None).sched_getcpu if sys.platform == "linux" else lambda: -1
)


def _leave(processor: int) -> None:
    """Moves this thread away from the processor of the thread that it helps.

    With two or four processors Linux wakes a thread where it ran last, so that two threads can
    share a processor for seconds. The affinity is restored afterwards, so the system may move the
    thread again. Nothing is moved twice within a second.
    """
    global _moved
    if processor >= 0 and _processor() == processor and time.monotonic() > _moved + 1:
        _moved = time.monotonic()
        allowed = os.sched_getaffinity(0)
        with suppress(OSError):  # none but this one, or it may not be asked for
            os.sched_setaffinity(0, allowed - {processor})
            os.sched_setaffinity(0, allowed)


def _start(wanted: int) -> None:
    global _started
    with _lock:
        while _started < wanted:
            _started += 1
            threading.Thread(target=_serve, name="minitf-worker", daemon=True).start()


def _serve() -> None:
    np.seterr(all="ignore")  # as in the thread of a step
    with denormals_as_zero:
        while True:
            _inbox.get()()


@in_child
def _forget() -> None:
    """Resets the state in a forked process, which has no worker threads."""
    global _inbox, _started, _lock, _devices
    _inbox, _started, _lock, _devices = queue.SimpleQueue(), 0, threading.Lock(), 0

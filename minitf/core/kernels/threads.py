"""Splits what takes long over threads of our own, which sleep between their turns.

The threads of a BLAS library wait for work by spinning, and a classroom of kernels on one server
then spends its processors on waiting. These sleep: handing a piece over takes 2 to 11 us, so only
work above about 100 us is split. Kernels must let go of Python's lock while they compute, as NumPy
does on large arrays and compiled kernels always do.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable

import numpy as np

from minitf.core.graph.float_mode import denormals_as_zero

_lock = threading.Lock()
_inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_started = 0
_count = 0  # how many threads compute together, the caller's included; 0: not yet decided


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def configure(count: int) -> None:
    """Decides how many threads work on one operation; the first session's wish counts.

    Args:
      count: of `ConfigProto.intra_op_parallelism_threads`; 0 leaves it to MINITF_THREADS, or else
        to the number of processors.
    """
    global _count
    with _lock:
        if not _count:
            wish = os.environ.get("MINITF_THREADS", "")
            _count = count if count > 0 else int(wish) if wish.isdigit() and int(wish) else 0
            _count = _count or _processors()


def count() -> int:
    """How many threads work on one operation."""
    if not _count:
        configure(0)
    return _count


def split(run: Callable[[int, int], None], size: int, least: int) -> None:
    """Calls `run(start, stop)` on pieces that cover `range(size)`, in several threads at once.

    Args:
      run: works on one piece; pieces do not depend on each other.
      size: of the whole.
      least: how much makes a piece of about 50 us: what is less than two pieces is not split.
    Raises:
      Exception: what the first failing piece raised, after all pieces have ended.
    """
    pieces = min(_count or count(), size // max(least, 1))
    if pieces < 2:
        run(0, size)
        return
    _start(pieces - 1)
    done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def work(start: int, stop: int) -> None:
        try:
            run(start, stop)
            done.put(None)
        except BaseException as error:
            done.put(error)

    bounds = [size * i // pieces for i in range(pieces + 1)]
    for start, stop in zip(bounds[1:-1], bounds[2:]):
        _inbox.put(lambda start=start, stop=stop: work(start, stop))  # type: ignore[misc]
    work(0, bounds[1])
    failed = [error for error in (done.get() for _ in range(pieces)) if error is not None]
    if failed:
        raise failed[0]


def _start(wanted: int) -> None:
    global _started
    if _started >= wanted:
        return
    with _lock:
        while _started < wanted:
            _started += 1
            threading.Thread(target=_serve, name="minitf-worker", daemon=True).start()


def _serve() -> None:
    np.seterr(all="ignore")  # as in the thread of a step
    with denormals_as_zero:
        while True:
            _inbox.get()()


def _forget() -> None:
    """In a process that was forked the threads are gone."""
    global _inbox, _started, _lock
    _inbox, _started, _lock = queue.SimpleQueue(), 0, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)

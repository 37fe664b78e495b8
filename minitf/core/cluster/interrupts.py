"""What Ctrl-C, or the stop button of a notebook, ends, and what it must not break off.

    the cell's thread:   beside_ctrl_c(work).result()  --SIGINT-->  KeyboardInterrupt, the cell ends
    another thread:      work ................................. goes on to its end

Dask cannot be stopped while it starts processes. What a thread starts inherits the signals that it
has blocked: processes that are started here do not hear SIGINT from their first instruction on.

An import that is broken off leaves a package half there, for the rest of the process. It runs to
its end in the thread that asks: another thread may want a lock of an import that this one is in.
"""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from types import ModuleType
from typing import Any, TypeVar

_T = TypeVar("_T")


def beside_ctrl_c(
    work: Callable[[], _T], turn: AbstractContextManager[Any] | None = None
) -> Future[_T]:
    """Starts work in a thread that Ctrl-C does not reach, nor the processes it starts there.

    Args:
      work: a function of no arguments.
      turn: entered until the work and the callbacks of its future are done.
    Returns: its future; the wait for it is what Ctrl-C ends.
    """
    future: Future[_T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        with turn or nullcontext():
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)

    threading.Thread(target=run, name="minitf-beside", daemon=True).start()
    return future


def import_whole(name: str) -> ModuleType:
    """Imports a module; Ctrl-C ends the import only when it is through."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is None:  # only there a handler can be set
        return importlib.import_module(name)
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        return importlib.import_module(name)
    finally:
        signal.signal(signal.SIGINT, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


def heed_ctrl_c() -> None:
    """Lets SIGINT end this process where whoever started it had it ignored.

    `nohup` and shells without job control start what runs in the background that way, and Python
    keeps what it inherits. What promises to end by Ctrl-C or `kill -INT` asks for a disposition of
    its own: a server that is joined, and `python -m minitf`. An import never changes it.
    """
    if threading.current_thread() is threading.main_thread():
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)

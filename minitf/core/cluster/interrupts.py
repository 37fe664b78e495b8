"""Protection of work that Ctrl-C, or the stop button of a notebook, must not interrupt.

    the cell's thread:   beside_ctrl_c(work).result()  --SIGINT-->  KeyboardInterrupt, the cell ends
    another thread:      work ................................. goes on to its end

Dask cannot be stopped while it starts processes. A new process inherits the blocked signals of its
thread, so that processes started here block SIGINT from their first instruction on.

An interrupted import leaves a broken package for the rest of the process. `import_whole` imports in
the calling thread: another thread could wait for the lock of an import that this one is in.
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
    """Starts work in a thread that Ctrl-C does not interrupt, nor the processes that it starts.

    Args:
      work: a function of no arguments.
      turn: a context around the work and the callbacks of its future.
    Returns: its future; Ctrl-C ends only the wait for it.
    Raises:
      RuntimeError: where no thread can start, as in a browser tab.
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
    """Imports a module; Ctrl-C takes effect after the import."""
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
    """Makes SIGINT end this process even if its parent had it ignored.

    `nohup` and shells without job control start background processes that way, and Python inherits
    it. A server that is joined and `python -m minitf` promise to end by Ctrl-C or `kill -INT`, and
    call this function. An import never does.
    """
    if threading.current_thread() is threading.main_thread():
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)

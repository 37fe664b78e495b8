"""Work that Ctrl-C, or the stop button of a notebook, must not break off in the middle.

    the cell's thread:   beside_ctrl_c(work).result()  --SIGINT-->  KeyboardInterrupt, the cell ends
    another thread:      work ................................. goes on to its end

An import that is broken off leaves a package half there, for the rest of the process; Dask cannot
be stopped while it starts processes. What a thread starts inherits the signals that it has blocked:
processes that are started here do not hear SIGINT from their first instruction on.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
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

    def run() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        with turn or nullcontext():
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)

    threading.Thread(target=run, name="minitf-beside", daemon=True).start()
    return future

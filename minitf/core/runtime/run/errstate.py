"""Runs a program without NumPy's floating-point warnings: on devices 1/0 is inf, silently.

NumPy keeps that setting in a context variable. `np.errstate` sets and resets it in 0.8 us, a third
of the time of a small step. Entering a context in which it was set once takes 0.1 us. In a notebook
a step takes the longer way: which cell an output belongs to is a context variable, too.
"""

from __future__ import annotations

import builtins
import contextvars
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph.float_mode import denormals_as_zero


class _Quiet(threading.local):
    """One prepared context a thread, since two threads cannot be in one context."""

    def __init__(self) -> None:
        super().__init__()
        context = contextvars.copy_context()
        context.run(np.seterr, all="ignore")
        self.enter = context.run


_quiet = _Quiet()


def quietly(run: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `run` without warnings.

    Only for functions that do not look at context variables themselves: they see those of the
    thread's first step, not of this one, unless IPython runs.
    """

    def quiet_run(*args: Any) -> Any:
        if "get_ipython" not in builtins.__dict__:  # `hasattr` takes 0.8 us where it is not
            try:
                return _quiet.enter(run, *args)
            except RuntimeError as error:
                if "cannot enter context" not in str(error):
                    raise
        with np.errstate(all="ignore"):  # a signal handler runs a step while a step runs
            return run(*args)

    quiet_run.__wrapped__ = run  # type: ignore[attr-defined]
    return quiet_run


def flushing(run: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `run` with tiny numbers as zero; that takes a microsecond."""

    def flushing_run(*args: Any) -> Any:
        with denormals_as_zero:
            return run(*args)

    flushing_run.__wrapped__ = getattr(run, "__wrapped__", run)  # type: ignore[attr-defined]
    return flushing_run

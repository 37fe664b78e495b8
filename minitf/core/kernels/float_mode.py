"""The floating-point mode of kernels: denormal numbers count as zero, as in TensorFlow.

Running averages of gradients that are zero decay through the denormal numbers (below 1e-38 in
float32), with which processors compute ten to a hundred times slower. `denormals_as_zero` switches
them off in the calling thread, and on again afterwards. On unknown processors it does nothing;
results then differ by less than the smallest normal number.
"""

from __future__ import annotations

import builtins
import contextvars
import ctypes
import platform
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

#: by processor: which word of C's `fenv_t` holds the mode, and the bits in it that flush denormals
_LAYOUTS = {"x86_64": (7, 0x8040), "aarch64": (0, 1 << 24)}
_WORDS = 16  # more than any fenv_t has


def _function(name: str) -> Any:
    """A function of the C library that Python itself is linked to, or None."""
    if sys.platform != "linux" or platform.machine() not in _LAYOUTS:
        return None
    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:
        function.argtypes = [ctypes.c_void_p]
        function.restype = ctypes.c_int
    return function


_get, _set = _function("fegetenv"), _function("fesetenv")
supported = _get is not None and _set is not None


class _Mode(threading.local):
    """The context manager. A thread's usual mode is that of its first use."""

    def __init__(self) -> None:
        self._depth = 0
        if supported:
            self._buffers = [(ctypes.c_uint32 * _WORDS)() for _ in range(2)]
            self._usual, self._flushing = (ctypes.addressof(b) for b in self._buffers)
            for address in (self._usual, self._flushing):
                _get(address)
            word, bits = _LAYOUTS[platform.machine()]
            self._buffers[1][word] |= bits

    def __enter__(self) -> None:
        self._depth += 1
        if supported and self._depth == 1:
            _set(self._flushing)

    def __exit__(self, *exc_info: object) -> None:
        self._depth -= 1
        if supported and not self._depth:
            _set(self._usual)


denormals_as_zero = _Mode()


# ---- errstate ----------------------------------------------------------------------------
#
# Runs a program without NumPy's floating-point warnings: on devices 1/0 is inf, silently.
#
# NumPy keeps that setting in a context variable. `np.errstate` sets and resets it in 0.8 us, a
# third of the time of a small step. Entering a context in which it was set once takes 0.1 us. In
# a notebook a step takes the longer way: which cell an output belongs to is a context variable,
# too.


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

    `run` must not read context variables: unless IPython runs, it sees those of the thread's first
    step.
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
    """Returns `run` with denormal numbers as zero, which takes a microsecond."""

    def flushing_run(*args: Any) -> Any:
        with denormals_as_zero:
            return run(*args)

    flushing_run.__wrapped__ = getattr(run, "__wrapped__", run)  # type: ignore[attr-defined]
    return flushing_run

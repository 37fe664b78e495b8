"""Tiny numbers as zero: the floating-point mode that TensorFlow runs its kernels in.

Running averages of gradients that have become zero decay through the denormal numbers (below 1e-38
in float32), which processors compute with ten to a hundred times slower. `denormals_as_zero`
switches them off in the calling thread, and back afterwards. On processors whose mode we do not
know it does nothing: results then differ by less than the smallest normal number.
"""

from __future__ import annotations

import ctypes
import platform
import sys
import threading
from typing import Any

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
    """The context manager. A thread's usual mode is the one in which it first comes here."""

    def __init__(self) -> None:
        self._buffers = [(ctypes.c_uint32 * _WORDS)() for _ in range(2)]
        self._usual, self._flushing = (ctypes.addressof(b) for b in self._buffers)
        self._depth = 0
        if supported:
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

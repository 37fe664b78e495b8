"""What the C libraries of this process are told, before the first devices are made.

malloc    keeps freed memory for the next step, as in every framework
BLAS      uses one thread, so that many kernels on one machine stay fast

A training step makes and frees the same arrays over and over. glibc gives each one above 128 KB
back to the system, which then hands out fresh pages, zeroed, one fault for every 4 KB: the
gradient of a 784x128 matrix took 550 us to compute that way and takes 80 us from memory that
was used before.

OpenBLAS's threads spin while they wait. Beside two busy processes a small training loop fell from
1847 steps a second to 31. OPENBLAS_NUM_THREADS or MINITF_BLAS_THREADS sets another number.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from functools import cache

from minitf.core.runtime.run.devices import before_devices

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of <malloc.h>
_MAPPED_FROM = 1 << 30  # bytes: what is larger still goes back to the system when it is freed


@cache
def keep_freed_memory() -> None:
    """Makes the C library keep freed memory, which only glibc can.

    MINITF_KEEP_MEMORY=0 turns this off.
    """
    if os.environ.get("MINITF_KEEP_MEMORY", "1") != "0":
        with suppress(AttributeError, OSError, TypeError):
            mallopt = ctypes.CDLL(None).mallopt
            mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM)
            mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)


_SETTERS = (  # by build: NumPy's own wheels, SciPy's, a system's
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)


def _loaded_libraries() -> list[str]:
    """The OpenBLAS libraries in this process, by path; none where the system does not tell."""
    with suppress(OSError), open("/proc/self/maps") as maps:
        return sorted({line.split(maxsplit=5)[-1].strip() for line in maps if "openblas" in line})
    return []


@cache
def hold_blas_threads(brought_by: str = "numpy") -> None:
    """Sets the number of BLAS threads, once for each package that brings a BLAS along."""
    asked = os.environ.get("MINITF_BLAS_THREADS", "")
    if not asked and os.environ.get("OPENBLAS_NUM_THREADS"):
        return
    count = int(asked) if asked.isdigit() and int(asked) > 0 else 1
    for path in _loaded_libraries():
        with suppress(OSError):
            library = ctypes.CDLL(path)
            setters = (getattr(library, name, None) for name in _SETTERS)
            if setter := next(filter(None, setters), None):
                setter(ctypes.c_int(count))


before_devices += [keep_freed_memory, hold_blas_threads]

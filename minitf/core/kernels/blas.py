"""Holds BLAS at one thread, so that a classroom of kernels on one machine stays fast.

OpenBLAS's threads wait for work by spinning. Beside two busy processes that took a small training
loop from 1847 steps a second to 31. With one thread a multiplication never waits for a processor
that somebody else has. OPENBLAS_NUM_THREADS, when it is set, or MINITF_BLAS_THREADS says otherwise.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

_SETTERS = (  # by build: NumPy's own wheels, SciPy's, a system's
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)


def _loaded_libraries() -> list[str]:
    """The OpenBLAS libraries in this process, by path; none where the system does not tell."""
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split(maxsplit=5)[-1].strip() for line in maps if "openblas" in line}
    except OSError:
        return []
    return sorted(paths)


@cache
def hold_blas_threads(brought_by: str = "numpy") -> int | None:
    """Sets the number of BLAS threads, once for each package that brings a BLAS along.

    Returns: the number, or None when it was left as it is.
    """
    asked = os.environ.get("MINITF_BLAS_THREADS", "")
    if not asked and os.environ.get("OPENBLAS_NUM_THREADS"):
        return None
    count = int(asked) if asked.isdigit() and int(asked) > 0 else 1
    done = False
    for path in _loaded_libraries():
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        for name in _SETTERS:
            setter = getattr(library, name, None)
            if setter is not None:
                setter(ctypes.c_int(count))
                done = True
                break
    return count if done else None

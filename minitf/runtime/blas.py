"""Sets up NumPy's BLAS: one thread, and the kernels that the processor can run.

OpenBLAS's threads wait for work by spinning. Beside two busy processes that took a small training
loop from 1847 steps a second to 31. With one thread a multiplication never waits for a processor
that somebody else has, and a classroom of kernels on one machine stays fast. OPENBLAS_NUM_THREADS,
when it is set, or MINITF_BLAS_THREADS says otherwise.

OpenBLAS chooses its kernels by the name of the processor. On one that it does not know it takes
those of 2013, though the processor may have the wider AVX-512 instructions: half the speed.
Then it is told to choose again. OPENBLAS_CORETYPE, when it is set, says otherwise.
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
_CORE_NAMES = tuple(name.replace("set_num_threads", "get_corename") for name in _SETTERS)


def _loaded_libraries() -> list[str]:
    """The OpenBLAS libraries in this process, by path; none where the system does not tell."""
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split(maxsplit=5)[-1].strip() for line in maps if "openblas" in line}
    except OSError:
        return []
    return sorted(paths)


_NARROW = (b"Haswell", b"Zen")  # kernels of AVX2
_WIDE = "SkylakeX"  # kernels of AVX-512
_NEEDED = {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"}


def _has_wide_registers() -> bool:
    """Whether the processor and the system know AVX-512."""
    try:
        with open("/proc/cpuinfo") as text:
            flags = next((line for line in text if line.startswith("flags")), "")
    except OSError:
        return False
    return set(flags.split()) >= _NEEDED


@cache
def widen_blas_kernels() -> list[str]:
    """Lets OpenBLAS use AVX-512 where it has not seen that it may; done once.

    Returns: the names of the kernels now in use, one for each library in this process.
    """
    found = []
    wanted = "OPENBLAS_CORETYPE" not in os.environ and _has_wide_registers()
    for path in _loaded_libraries():
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        name = _core_name(library)
        if wanted and name in _NARROW and hasattr(library, "gotoblas_dynamic_quit"):
            os.environ["OPENBLAS_CORETYPE"] = _WIDE
            try:
                library.gotoblas_dynamic_quit()
                library.gotoblas_dynamic_init()
            finally:
                del os.environ["OPENBLAS_CORETYPE"]
            name = _core_name(library)
        found.append(name.decode())
    return found


def _core_name(library: ctypes.CDLL) -> bytes:
    for name in _CORE_NAMES:
        function = getattr(library, name, None)
        if function is not None:
            function.restype = ctypes.c_char_p
            return function() or b""
    return b""


@cache
def hold_blas_threads() -> int | None:
    """Sets the number of BLAS threads once; returns it, or None when it was left as it is."""
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

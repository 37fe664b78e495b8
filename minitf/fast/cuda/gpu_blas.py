"""Products of matrices on cards, by a cuBLAS handle of our own.

CuPy sets the stream of its handle before every product, and refuses while a stream captures, since
cuBLAS would have to allocate its workspace then. A handle that belongs to one stream, with a
workspace that was given to it before, may be captured; so that is what this file keeps, one for
each stream. It calls the library that CuPy has loaded. TensorFlow multiplies float32 in TF32 where
the card can; so does this. NVIDIA_TF32_OVERRIDE=0 forbids it, to cuBLAS itself.

    row by row          x @ y = z          cuBLAS thinks in columns, where each matrix is its
    column by column    y' @ x' = z'       transpose: it gets the factors in the other order
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

import numpy as np

from minitf.core.graph import logging

_KEEP, _TURN = 0, 1  # CUBLAS_OP_N, CUBLAS_OP_T
_ANY = -1  # CUBLAS_GEMM_DEFAULT: its own choice of algorithm
#: by dtype: CUDA's number of the type, cuBLAS's of the arithmetic, and the type of the factors
_TYPES = {
    "f": (0, 77, ctypes.c_float),  # CUBLAS_COMPUTE_32F_FAST_TF32
    "d": (1, 70, ctypes.c_double),  # CUBLAS_COMPUTE_64F
    "e": (2, 68, ctypes.c_float),  # CUBLAS_COMPUTE_32F
}
_WORKSPACE = 32 << 20  # bytes; what cuBLAS recommends for its hungriest cards

#: by card and stream: the library, the handle and its workspace; None where there is no library
_handles: dict[tuple[int, int], tuple[Any, Any, Any] | None] = {}
_lock = threading.Lock()


def library(cupy: Any) -> Any:
    """The cuBLAS that CuPy has loaded, as ctypes sees it."""
    major = cupy.cuda.cublas.getVersion(cupy.cuda.Device().cublas_handle) // 10000
    return ctypes.CDLL(
        f"cublas64_{major}.dll" if sys.platform == "win32" else f"libcublas.so.{major}"
    )


def _checked(status: int, what: str) -> None:
    if status:
        raise RuntimeError(f"cuBLAS: {what} failed with status {status}.")


def _handle(cupy: Any) -> tuple[Any, Any, Any] | None:
    """What belongs to the current stream of the current card."""
    stream = cupy.cuda.get_current_stream()
    key = cupy.cuda.runtime.getDevice(), stream.ptr
    if key not in _handles:
        with _lock:
            if key not in _handles:
                _handles[key] = _make(cupy, stream)
    return _handles[key]


def _make(cupy: Any, stream: Any) -> tuple[Any, Any, Any] | None:
    try:
        blas = library(cupy)
    except OSError as error:
        logging.info(f"Products on cards go through CuPy, and are not captured: {error}")
        return None
    handle = ctypes.c_void_p()
    _checked(blas.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    _checked(blas.cublasSetStream_v2(handle, ctypes.c_void_p(stream.ptr)), "cublasSetStream")
    workspace = cupy.empty(_WORKSPACE, np.uint8)  # after the stream: setting that takes it away
    address, size = ctypes.c_void_p(workspace.data.ptr), ctypes.c_size_t(_WORKSPACE)
    _checked(blas.cublasSetWorkspace_v2(handle, address, size), "cublasSetWorkspace")
    return blas, handle, workspace


def prepare(cupy: Any) -> None:
    """Makes the handle for the current stream now: while it captures would be too late."""
    _handle(cupy)


def _laid_out(cupy: Any, x: Any) -> tuple[Any, int, int, int]:
    """A matrix, or a stack, as cuBLAS can read it.

    Returns: the array, copied if need be; how its transpose, which is what cuBLAS sees, must be
      taken; elements from one column to the next; elements from one matrix to the next.
    """
    size = x.itemsize
    rows, columns = x.shape[-2:]
    down, right = (s // size for s in x.strides[-2:])
    step = x.strides[0] // size if x.ndim == 3 else 0
    if (right == 1 or columns == 1) and (down >= columns or rows == 1):
        return x, _KEEP, down if rows > 1 else columns, step
    if (down == 1 or rows == 1) and (right >= rows or columns == 1):
        return x, _TURN, right if columns > 1 else rows, step
    return _laid_out(cupy, cupy.ascontiguousarray(x))


def matmul(cupy: Any, a: Any, b: Any, out: Any = None) -> Any:
    """`a @ b`, for matrices and for stacks of them.

    What cuBLAS is not asked for here (vectors, integers, stacks that broadcast in several axes,
    nothing to multiply) goes to CuPy.
    """
    kind = _TYPES.get(a.dtype.char)
    deep = max(a.ndim, b.ndim)
    fits = kind is not None and a.dtype == b.dtype and min(a.ndim, b.ndim) >= 2
    if not fits or not (a.size and b.size) or a.shape[-1] != b.shape[-2]:
        return cupy.matmul(a, b, out=out)
    stack = a.shape[:-2] if a.ndim >= b.ndim else b.shape[:-2]
    handle = _handle(cupy)
    if handle is None or any(x.ndim > 2 and x.shape[:-2] != stack for x in (a, b)):
        return cupy.matmul(a, b, out=out)
    if deep > 3:
        a, b = (
            x if x.ndim == 2 else cupy.ascontiguousarray(x).reshape(-1, *x.shape[-2:])
            for x in (a, b)
        )
    m, n, k = a.shape[-2], b.shape[-1], a.shape[-1]
    shape = (*stack, m, n)
    usable = out is not None and out.shape == shape and out.dtype == a.dtype
    if usable and out.flags.c_contiguous and not any(cupy.may_share_memory(out, x) for x in (a, b)):
        result = out
    else:
        result = cupy.empty(shape, a.dtype)
    _multiply(cupy, handle, kind, (m, n, k), a, b, result)
    if out is None or result is out:
        return result
    out[...] = result
    return out


def _multiply(cupy: Any, own: Any, kind: Any, sizes: tuple, a: Any, b: Any, result: Any) -> None:
    number, arithmetic, scalar = kind
    m, n, k = sizes
    a, turn_a, across_a, step_a = _laid_out(cupy, a)
    b, turn_b, across_b, step_b = _laid_out(cupy, b)
    one, zero = scalar(1), scalar(0)
    blas, handle, _ = own
    whole, long, at = ctypes.c_int, ctypes.c_longlong, ctypes.c_void_p
    status = blas.cublasGemmStridedBatchedEx(
        handle,
        *(whole(turn_b), whole(turn_a), whole(n), whole(m), whole(k)),
        ctypes.byref(one),
        *(at(b.data.ptr), whole(number), whole(across_b), long(step_b)),
        *(at(a.data.ptr), whole(number), whole(across_a), long(step_a)),
        ctypes.byref(zero),
        *(at(result.data.ptr), whole(number), whole(n), long(m * n)),
        *(whole(result.size // (m * n)), whole(arithmetic), whole(_ANY)),
    )
    _checked(status, "cublasGemmStridedBatchedEx")

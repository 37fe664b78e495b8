"""SciPy's BLAS for loops: a product of matrices from inside a translated function.

Called from there, a small product costs a tenth of a microsecond instead of two, so that a loop can
unfold a few rows of an image, multiply them while they are in the first cache, and go on.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import get_cython_function_address, intrinsic

from minitf.kernels.compiled._loops import loop

_SYMBOL = "minitf_sgemm"  # under which translated code asks for it, in every process anew
_ADDRESSES = (6, 8, 11)  # which arguments are arrays: a, b, c
llvmlite.binding.add_symbol(
    _SYMBOL, get_cython_function_address("scipy.linalg.cython_blas", "sgemm")
)

_KINDS = (
    *(types.uint8, types.uint8, types.int32, types.int32, types.int32, types.float32),
    *(types.intp, types.int32, types.intp, types.int32, types.float32, types.intp, types.int32),
)


@intrinsic
def _sgemm(
    context: Any,
    ta: Any,
    tb: Any,
    m: Any,
    n: Any,
    k: Any,
    alpha: Any,
    a: Any,
    lda: Any,
    b: Any,
    ldb: Any,
    beta: Any,
    c: Any,
    ldc: Any,
) -> Any:
    """Calls sgemm, which as a Fortran function takes the addresses of its arguments."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte] * len(_KINDS))
        function = cgutils.get_or_insert_function(builder.module, kind, _SYMBOL)
        places = [
            builder.inttoptr(value, byte)
            if i in _ADDRESSES
            else builder.bitcast(cgutils.alloca_once_value(builder, value), byte)
            for i, value in enumerate(given)
        ]
        builder.call(function, places)
        return context.get_dummy_value()

    return types.void(*_KINDS), generate


@loop("void(intp, intp, intp, intp, intp, b1, intp, intp, float32, intp, intp)")
def multiply(m, n, k, a, a_row, turned, b, b_row, beta, c, c_row):  # type: ignore[no-untyped-def]
    """c = a @ b + beta * c, of matrices whose rows lie in memory one after the other.

    Args:
      m, n, k: c is [m, n] and b is [k, n].
      a, b, c: addresses.
      a_row, b_row, c_row: how many numbers lie from one row to the next.
      turned: whether `a` is stored as [k, m], not as [m, k].
    """
    if m and n:
        _sgemm(  # Fortran sees all of them transposed: c.T = b.T @ a.T
            np.uint8(ord("N")),
            np.uint8(ord("T") if turned else ord("N")),
            np.int32(n),
            np.int32(m),
            np.int32(k),
            np.float32(1),
            b,
            np.int32(b_row),
            a,
            np.int32(a_row),
            beta,
            c,
            np.int32(c_row),
        )

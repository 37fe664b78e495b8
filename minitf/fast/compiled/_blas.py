"""SciPy's BLAS for loops: a product of matrices from inside a translated function.

Called from there, a small product costs a tenth of a microsecond instead of two, so that a loop can
unfold a few rows of an image, multiply them while they are in the first cache, and go on. Copies of
short pieces of memory stand here too: an address knows no negative index that must be looked for.
"""

from __future__ import annotations

import os
from typing import Any

import llvmlite.binding
import numpy as np

from minitf.fast.c_libraries import hold_blas_threads
from minitf.fast.compiled._loops import cgutils, intrinsic, ir, loop, types
from minitf.fast.machine_code import cython_function, extension

_SYMBOL = "minitf_sgemm"  # under which translated code asks for it, in every process anew
_ADDRESSES = (6, 8, 11)  # which arguments are arrays: a, b, c
llvmlite.binding.add_symbol(
    _SYMBOL, cython_function(extension("scipy.linalg.cython_blas"), "sgemm")
)
hold_blas_threads("scipy")

#: Multiplications up to which OpenBLAS packs no matrix first: it reaches 210 GFLOP/s then, beside
#: 130 just above. It does so where the processor has AVX-512; 0: not here.
SMALL = 1_000_000
if not llvmlite.binding.get_host_cpu_features().get("avx512f") or os.environ.get(
    "OPENBLAS_CORETYPE", "SkylakeX"
) not in ("SkylakeX", "Cooperlake", "SapphireRapids"):
    SMALL = 0


def _kinds() -> tuple[Any, ...]:
    return (
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
        kind = ir.FunctionType(ir.VoidType(), [byte] * len(given))
        function = cgutils.get_or_insert_function(builder.module, kind, _SYMBOL)
        places = [
            builder.inttoptr(value, byte)
            if i in _ADDRESSES
            else builder.bitcast(cgutils.alloca_once_value(builder, value), byte)
            for i, value in enumerate(given)
        ]
        builder.call(function, places)
        return context.get_dummy_value()

    return types.void(*_kinds()), generate


@loop()
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


@intrinsic
def copy(context: Any, target: Any, source: Any, count: Any) -> Any:
    """Copies `count` float32 from one address to another."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        to, start = (builder.inttoptr(value, byte) for value in given[:2])
        cgutils.raw_memcpy(builder, to, start, given[2], 4)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.intp), generate


@intrinsic
def clear(context: Any, target: Any, count: Any) -> Any:
    """Writes `count` float32 zeros at an address."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = builder.inttoptr(given[0], ir.IntType(8).as_pointer())
        size = builder.mul(given[1], ir.Constant(given[1].type, 4))
        cgutils.memset(builder, place, size, 0)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp), generate

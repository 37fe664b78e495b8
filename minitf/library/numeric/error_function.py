"""The error functions: in double precision by Python's own, one element after the other.

float32 and float16 of `erf` take the quotient of polynomials that elementwise programs use.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import call
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.dense import erf as erf_in_single
from minitf.core.kernels.host import on_host
from minitf.core.ops.elementwise import unary


def _in_double(function: Callable[[float], float]) -> Callable[[Any, Any], Any]:
    """Makes a kernel of a function of numbers; elements in the memory of a GPU come to the host."""
    of_each = np.frompyfunc(function, 1, 1)

    def kernel(xp: Any, x: Any) -> Any:
        found = np.asarray(of_each(on_host(x)), np.float64)
        return xp.asarray(found.astype(x.dtype))[()]

    return kernel


_erf_in_double = _in_double(math.erf)


def _erf(xp: Any, x: Any) -> Any:
    if x.dtype.itemsize < 8:
        return erf_in_single(x.astype("float32", copy=False), xp=xp).astype(x.dtype)[()]
    return _erf_in_double(xp, x)


def _bell(x: Tensor) -> Tensor:
    """2/sqrt(pi) exp(-x^2), the derivative of erf."""
    return (2.0 / math.sqrt(math.pi)) * call("Exp", -(x * x))


erf = unary(
    "Erf",
    _erf,
    "Computes the Gauss error function of `x`, elementwise.",
    dtypes.FLOATS,
    lambda x, y, dy: dy * _bell(x),
    arithmetic="erf({0})",
    arithmetic_types=(dtypes.float32,),
)
erfc = unary(
    "Erfc",
    _in_double(math.erfc),
    "Computes 1 - erf(x) without losing the digits of small results.",
    dtypes.FLOATS,
    lambda x, y, dy: -dy * _bell(x),
)

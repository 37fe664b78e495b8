"""The error functions: rational approximations in plain array arithmetic, for NumPy and CuPy alike.

float64 follows W. J. Cody, "Rational Chebyshev approximation for the error function", Mathematics
of Computation 23 (1969): three ranges of |x|, each a quotient of polynomials, relative error near
1e-16. float32 and float16 take the quotient that elementwise programs use.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import call
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.dense import erf as erf_in_single
from minitf.core.ops.elementwise import unary

_SMALL = (
    (
        1.85777706184603153e-1,
        3.16112374387056560,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    ),
    (
        1.0,
        2.36012909523441209e1,
        2.44024637934444173e2,
        1.28261652607737228e3,
        2.84423683343917062e3,
    ),
)
_MIDDLE = (
    (
        2.15311535474403846e-8,
        5.64188496988670089e-1,
        8.88314979438837594,
        6.61191906371416295e1,
        2.98635138197400131e2,
        8.81952221241769090e2,
        1.71204761263407058e3,
        2.05107837782607147e3,
        1.23033935479799725e3,
    ),
    (
        1.0,
        1.57449261107098347e1,
        1.17693950891312499e2,
        5.37181101862009858e2,
        1.62138957456669019e3,
        3.29079923573345963e3,
        4.36261909014324716e3,
        3.43936767414372164e3,
        1.23033935480374942e3,
    ),
)
_LARGE = (
    (
        1.63153871373020978e-2,
        3.05326634961232344e-1,
        3.60344899949804439e-1,
        1.25781726111229246e-1,
        1.60837851487422766e-2,
        6.58749161529837803e-4,
    ),
    (
        1.0,
        2.56852019228982242,
        1.87295284992346725,
        5.27905102951428412e-1,
        6.05183413124413191e-2,
        2.33520497626869185e-3,
    ),
)


def quotient(x: Any, polynomials: tuple[Sequence[float], Sequence[float]]) -> Any:
    """The quotient of two polynomials in `x`; coefficients from the highest degree down."""
    values = []
    for coefficients in polynomials:
        value = coefficients[0]
        for c in coefficients[1:]:
            value = value * x + c
        values.append(value)
    return values[0] / values[1]


def erfc_of_magnitude(xp: Any, size: Any) -> Any:
    """erfc of float64 `size` >= 0.46875; relative error near 1e-16."""
    size = xp.minimum(size, 28.0)  # erfc(28) is 0 in double precision
    middle = quotient(xp.minimum(size, 4.0), _MIDDLE)
    inverse = 1.0 / xp.square(xp.maximum(size, 4.0))
    large = (1.0 / math.sqrt(math.pi) - inverse * quotient(inverse, _LARGE)) / size
    coarse = xp.floor(size * 16.0) / 16.0  # exp(-x^2) in two factors keeps the last digits
    decay = xp.exp(-coarse * coarse) * xp.exp(-(size - coarse) * (size + coarse))
    return decay * xp.where(size <= 4.0, middle, large)


def _erf(xp: Any, x: Any) -> Any:
    if x.dtype.itemsize < 8:
        return erf_in_single(x.astype("float32", copy=False), xp=xp).astype(x.dtype)[()]
    size = xp.abs(x)
    near = x * quotient(xp.square(xp.minimum(size, 0.5)), _SMALL)
    far = xp.copysign(1.0 - erfc_of_magnitude(xp, xp.maximum(size, 0.46875)), x)
    return xp.where(xp.isnan(x), x, xp.where(size <= 0.46875, near, far))[()]


def _erfc(xp: Any, x: Any) -> Any:
    wide = x.astype("float64")
    tail = erfc_of_magnitude(xp, xp.maximum(xp.abs(wide), 0.46875))
    far = xp.where(wide < 0, 2.0 - tail, tail)
    near = 1.0 - _erf(xp, wide)
    result = xp.where(xp.isnan(wide), wide, xp.where(xp.abs(wide) <= 0.46875, near, far))
    return result.astype(x.dtype)[()]


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
    _erfc,
    "Computes 1 - erf(x) without losing the digits of small results.",
    dtypes.FLOATS,
    lambda x, y, dy: -dy * _bell(x),
)

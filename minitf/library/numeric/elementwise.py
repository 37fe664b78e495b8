"""More rows of the table of core/ops/math.py: what no operator needs."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import ARITHMETIC, FLOATING, binary, unary
from minitf.core.ops.math import (
    ANY,
    AWAY_FROM_ZERO,
    POSITIVE,
    check_divisor,
    conj,
    exp,
    multiply,
    negative,
    realdiv,
    reciprocal,
    sqrt,
    square,
)

# ---- differences and quotients -----------------------------------------------------------------

squared_difference = binary(
    "SquaredDifference",
    "({0} - {1}) * ({0} - {1})",
    "Computes (x - y)^2, elementwise.",
    ARITHMETIC,
    lambda x, y, z, dz: _both_signs(2 * dz * (x - y)),
)


def _both_signs(dx: Tensor) -> tuple[Tensor, Tensor]:
    return dx, negative(dx)


def _truncate_div(xp: Any, x: Any, y: Any) -> Any:
    check_divisor(y)
    if y.dtype.kind == "f":
        return xp.trunc(x / y)
    whole = xp.floor_divide(x, y)
    return whole + ((whole < 0) & (whole * y != x)).astype(whole.dtype)


def _truncate_mod(xp: Any, x: Any, y: Any) -> Any:
    check_divisor(y)
    return xp.fmod(x, y)


truncatediv = binary(
    "TruncateDiv",
    _truncate_div,
    "Computes x / y rounded towards zero, elementwise.",
    dtypes.REALS,
    domain=(ANY, AWAY_FROM_ZERO),
    public="truncatediv",
)
truncatemod = binary(
    "TruncateMod",
    _truncate_mod,
    "Computes the rest of the truncated division, signed as `x`.",
    (*dtypes.INDICES, *dtypes.FLOATS),
    domain=(ANY, AWAY_FROM_ZERO),
    public="truncatemod",
    differentiable=None,
)

# ---- exponentials ------------------------------------------------------------------------------

expm1 = unary(
    "Expm1",
    "xp.expm1({0})",
    "Computes e^x - 1, exact for small x.",
    FLOATING,
    lambda x, y, dy: dy * exp(conj(x)),
)
log1p = unary(
    "Log1p",
    "xp.log1p({0})",
    "Computes log(1 + x), exact for small x.",
    FLOATING,
    lambda x, y, dy: dy * reciprocal(1.0 + conj(x)),
    domain=POSITIVE,
)
sinh = unary(
    "Sinh",
    "xp.sinh({0})",
    "Computes the hyperbolic sine, elementwise.",
    FLOATING,
    lambda x, y, dy: dy * cosh(conj(x)),
)
cosh = unary(
    "Cosh",
    "xp.cosh({0})",
    "Computes the hyperbolic cosine, elementwise.",
    FLOATING,
    lambda x, y, dy: dy * sinh(conj(x)),
)
asinh = unary(
    "Asinh",
    "xp.arcsinh({0})",
    "Computes the inverse hyperbolic sine, elementwise.",
    FLOATING,
    lambda x, y, dy: realdiv(dy, cosh(conj(y))),
)
acosh = unary(
    "Acosh",
    "xp.arccosh({0})",
    "Computes the inverse hyperbolic cosine, elementwise.",
    FLOATING,
    lambda x, y, dy: realdiv(dy, sinh(conj(y))),
    domain=(1.2, 3.0),
)
atanh = unary(
    "Atanh",
    "xp.arctanh({0})",
    "Computes the inverse hyperbolic tangent, elementwise.",
    FLOATING,
    lambda x, y, dy: dy * reciprocal(1.0 - square(conj(x))),
    domain=(-0.8, 0.8),
)

# ---- angles, in radians ------------------------------------------------------------------------

tan = unary(
    "Tan",
    "xp.tan({0})",
    "Computes the tangent of an angle in radians.",
    FLOATING,
    lambda x, y, dy: dy * (1.0 + square(conj(y))),
    domain=(-1.0, 1.0),
)
asin = unary(
    "Asin",
    "xp.arcsin({0})",
    "Computes the angle in radians whose sine is x.",
    FLOATING,
    lambda x, y, dy: dy * reciprocal(sqrt(1.0 - square(conj(x)))),
    domain=(-0.8, 0.8),
)
acos = unary(
    "Acos",
    "xp.arccos({0})",
    "Computes the angle in radians whose cosine is x.",
    FLOATING,
    lambda x, y, dy: -dy * reciprocal(sqrt(1.0 - square(conj(x)))),
    domain=(-0.8, 0.8),
)
atan = unary(
    "Atan",
    "xp.arctan({0})",
    "Computes the angle in radians whose tangent is x.",
    FLOATING,
    lambda x, y, dy: dy * reciprocal(1.0 + square(conj(x))),
)
atan2 = binary(
    "Atan2",
    "xp.arctan2({0}, {1})",
    "Computes the angle in radians, from -pi to pi, of the point (x, y).",
    dtypes.FLOATS,
    lambda y, x, z, dz: (
        multiply(x, realdiv(dz, square(x) + square(y))),
        multiply(negative(y), realdiv(dz, square(x) + square(y))),
    ),
    domain=(ANY, AWAY_FROM_ZERO),
    inputs=("y", "x"),
)

# ---- rounding and checks -----------------------------------------------------------------------

rint = unary("Rint", "xp.rint({0})", "Rounds to the nearest whole, halves to even.", dtypes.FLOATS)
nextafter = binary(
    "NextAfter",
    "xp.nextafter({0}, {1})",
    "Gives the next number after x1 towards x2.",
    (dtypes.float32, dtypes.float64),
    lambda x1, x2, y, dy: (dy, 0.0 * dy),
    inputs=("x1", "x2"),
)
is_nan = unary(
    "IsNan", "xp.isnan({0})", "Tells which elements are nan.", dtypes.FLOATS, result="bool"
)
is_inf = unary(
    "IsInf", "xp.isinf({0})", "Tells which elements are infinite.", dtypes.FLOATS, result="bool"
)
is_finite = unary(
    "IsFinite", "xp.isfinite({0})", "Tells which elements are finite.", dtypes.FLOATS, result="bool"
)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Multiplies a tensor, or the rows of an `IndexedSlices`, by a scalar.

    Raises:
      ValueError: when `scalar` is not a scalar.
    """
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    if scalar.shape.ndims != 0:
        raise ValueError(f"Only scalar multiply works, got shape {scalar.shape}")
    if hasattr(x, "indices") and hasattr(x, "values"):
        return type(x)(multiply(scalar, x.values, name=name), x.indices, x.dense_shape)
    return multiply(scalar, x, name=name)

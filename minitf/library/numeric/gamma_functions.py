"""The gamma function's family, and others that have no closed form; all in plain array arithmetic.

    lgamma               Lanczos's series (g = 607/128, 15 terms), reflected below 1/2
    digamma, zeta        recurrence to large arguments, then the Euler-Maclaurin expansion
    igamma, betainc      the power series where it converges fast, the continued fraction elsewhere
    erfinv, ndtri        Acklam's rational first guess, made exact by Halley steps
    bessel_i0e, _i1e     the power series up to 20, the asymptotic one beyond

All compute in float64 and agree with the true values to some 1e-13; SciPy is not needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import binary, broadcast_shapes, unary, unbroadcast
from minitf.core.ops.math import abs as magnitude
from minitf.core.ops.math import exp, log, log1p, sign
from minitf.core.ops.reductions import reduce_sum
from minitf.library.numeric.error_function import erfc_of_magnitude, quotient

_LANCZOS = (
    0.99999999999999709182, 57.156235665862923517, -59.597960355475491248, 14.136097974741747174,
    -0.49191381609762019978, 3.3994649984811888699e-5, 4.6523628927048575665e-5,
    -9.8374475304879564677e-5, 1.5808870322491248884e-4, -2.1026444172410488319e-4,
    2.1743961811521264320e-4, -1.6431810653676389022e-4, 8.4418223983852743293e-5,
    -2.6190838401581408670e-5, 3.6899182659531622704e-6,
)  # fmt: skip
#: Bernoulli numbers B_2, B_4, ...
_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330, 854513 / 138,
)  # fmt: skip
_FEW = 10.0  # where the expansions for large arguments begin


def _wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that computes in float64 whatever it gets."""

    def kernel(xp: Any, *inputs: Any) -> Any:
        with np.errstate(all="ignore"):
            result = function(xp, *(xp.asarray(x, dtype=np.float64) for x in inputs))
        return xp.asarray(result).astype(inputs[0].dtype)[()]

    return kernel


# ---- gamma -------------------------------------------------------------------------------


def _lgamma_of_large(xp: Any, x: Any) -> Any:
    """log(gamma(x)) for x >= 1/2."""
    total = _LANCZOS[0] + sum(c / (x - 1 + i) for i, c in enumerate(_LANCZOS[1:], 1))
    t = x - 0.5 + 607 / 128
    return (x - 0.5) * xp.log(t) - t + xp.log(math.sqrt(2 * math.pi) * total)


def log_gamma(xp: Any, x: Any) -> Any:
    """The kernel of `lgamma`, of float64."""
    size = xp.where(x < 0.5, 1 - x, x)
    large = _lgamma_of_large(xp, xp.minimum(size, 1e300))
    sine = xp.abs(xp.sin(math.pi * (x - xp.round(x))))
    reflected = math.log(math.pi) - xp.log(sine) - large
    result = xp.where(x < 0.5, reflected, large)
    return xp.where(xp.isinf(x), np.inf, xp.where((x == 1) | (x == 2), 0.0, result))


def _digamma(xp: Any, x: Any) -> Any:
    left = x < 0.5
    y = xp.where(left, 1 - x, x)
    total = xp.zeros_like(y)
    for _ in range(int(_FEW)):  # psi(y) = psi(y + 1) - 1 / y
        small = y < _FEW
        total = total - xp.where(small, 1 / y, 0.0)
        y = xp.where(small, y + 1, y)
    inverse = 1 / (y * y)
    series = sum(-b / (2 * k) * inverse**k for k, b in enumerate(_BERNOULLI[:8], 1))
    result = total + xp.log(y) - 0.5 / y + series
    pole = (x <= 0) & (x == xp.floor(x))
    tangent = xp.tan(math.pi * (x - xp.round(x)))
    return xp.where(pole, np.nan, xp.where(left, result - math.pi / tangent, result))


def _zeta(xp: Any, x: Any, q: Any) -> Any:
    """The sum of (q + k)^-x over k = 0, 1, ...: Euler and Maclaurin's formula from q + 10 on."""
    total = sum((q + k) ** -x for k in range(int(_FEW)))
    a = q + _FEW
    total = total + a ** (1 - x) / (x - 1) + 0.5 * a**-x
    factor, power = x, a ** (-x - 1)
    for k, b in enumerate(_BERNOULLI, 1):
        total = total + b / math.factorial(2 * k) * factor * power
        factor = factor * (x + 2 * k - 1) * (x + 2 * k)
        power = power / (a * a)
    total = xp.where((q <= 0) & (q == xp.floor(q)), np.inf, total)
    total = xp.where((q <= 0) & (q != xp.floor(q)) & (x != xp.floor(x)), np.nan, total)
    return xp.where(x == 1, np.inf, xp.where(x < 1, np.nan, total))


def _polygamma(xp: Any, n: Any, x: Any) -> Any:
    sign = xp.where(n % 2 == 0, -1.0, 1.0)
    found = sign * xp.exp(log_gamma(xp, n + 1)) * _zeta(xp, n + 1, x)
    found = xp.where(n == 0, _digamma(xp, x), found)
    return xp.where((n < 0) | (n != xp.floor(n)), np.nan, found)


def _of_order(first: int) -> Callable[..., tuple]:
    """A sample of float32, which the gradient tests leave alone: none flows to the order."""
    return lambda rng: (np.array([first, 3], "f"), rng.uniform(1, 3, (2,)).astype("f"), {})


lgamma = unary(
    "Lgamma", _wide(log_gamma), "Computes log(abs(gamma(x))), elementwise.", dtypes.FLOATS,
    lambda x, y, dy: dy * digamma(x), domain=(0.3, 4.0),
)  # fmt: skip
digamma = unary(
    "Digamma", _wide(_digamma), "Computes the derivative of lgamma, elementwise.", dtypes.FLOATS,
    lambda x, y, dy: dy * polygamma(convert_to_tensor(1, x.dtype.base_dtype), x),
    domain=(0.3, 4.0),
)  # fmt: skip
polygamma = binary(
    "Polygamma", _wide(_polygamma), "Computes the a-th derivative of digamma, elementwise.",
    dtypes.FLOATS, lambda a, x, z, dz: (dz * 0, dz * polygamma(a + 1, x)), inputs=("a", "x"),
    samples=[_of_order(1)],
)  # fmt: skip
zeta = binary(
    "Zeta", _wide(_zeta), "Computes Hurwitz's zeta function, the sum of (q + k)^-x.",
    dtypes.FLOATS, lambda x, q, z, dz: (dz * 0, -dz * x * zeta(x + 1, q)), inputs=("x", "q"),
    samples=[_of_order(2)],
)  # fmt: skip


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the beta function of the last axis: sum(lgamma(x)) - lgamma(sum(x))."""
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        total = lgamma(reduce_sum(x, axis=[-1]))
        return reduce_sum(lgamma(x), axis=[-1]) - total


# ---- incomplete gamma and beta -----------------------------------------------------------

_STEPS = 2000  # of a series or fraction at most; some 20 are enough nearly everywhere


def _gamma_series(xp: Any, a: Any, x: Any) -> Any:
    """P(a, x), for x < a + 1: x^a e^-x / gamma(a + 1) * (1 + x/(a+1) + ...)."""
    term = total = xp.ones_like(a * x)
    for n in range(1, _STEPS):
        term = term * x / (a + n)
        total = total + term
        if not (xp.abs(term) > 1e-17 * xp.abs(total)).any():
            break
    return total * xp.exp(a * xp.log(x) - x - log_gamma(xp, a + 1))


def _gamma_fraction(xp: Any, a: Any, x: Any) -> Any:
    """1 - P(a, x), for x > a + 1, by Lentz's method."""
    b = x + 1 - a
    c, d = xp.full_like(b, 1e300), 1 / b
    h = d
    for n in range(1, _STEPS):
        step = -n * (n - a)
        b = b + 2
        d = _not_zero(xp, step * d + b)
        c = _not_zero(xp, b + step / c)
        d = 1 / d
        h = h * d * c
        if not (xp.abs(d * c - 1) > 1e-16).any():
            break
    return h * xp.exp(a * xp.log(x) - x - log_gamma(xp, a))


def _not_zero(xp: Any, x: Any) -> Any:
    return xp.where(xp.abs(x) < 1e-300, 1e-300, x)


def _gammas(xp: Any, a: Any, x: Any, upper: bool) -> Any:
    a, x = (xp.asarray(v) for v in xp.broadcast_arrays(a, x))
    near = x < a + 1
    lower = _gamma_series(xp, a, xp.where(near, x, 0.5))
    rest = _gamma_fraction(xp, xp.where(near, 1.0, a), xp.where(near, 3.0, x))
    rest = xp.where(xp.isinf(x), 0.0, rest)
    result = xp.where(near, 1 - lower, rest) if upper else xp.where(near, lower, 1 - rest)
    result = xp.where(x == 0, 1.0 if upper else 0.0, result)
    return xp.where((x < 0) | (a <= 0) | xp.isnan(a + x), np.nan, result)


def _igamma_by_a(xp: Any, a: Any, x: Any) -> Any:
    """dP/da, from the series sum of x^(a+n) e^-x / gamma(a + n + 1), term by term."""
    a, x = (xp.asarray(v) for v in xp.broadcast_arrays(a, x))
    logs, psi = xp.log(x), _digamma(xp, a + 1)
    term = xp.exp(a * logs - x - log_gamma(xp, a + 1))
    total = term * (logs - psi)
    for n in range(1, _STEPS):
        term, psi = term * x / (a + n), psi + 1 / (a + n)
        change = term * (logs - psi)
        total = total + change
        if n > 4 and not (xp.abs(change) > 1e-17 * (xp.abs(total) + 1e-30)).any():
            break
    return xp.where(x == 0, 0.0, total)


_igamma_grad_a = binary(
    "IgammaGradA", _wide(_igamma_by_a), "Computes the derivative of igamma by `a`.",
    dtypes.FLOATS, inputs=("a", "x"), domain=((0.5, 3.0), (0.5, 3.0)),
)  # fmt: skip


def _igamma_grads(sign: int) -> Callable[..., tuple]:
    def derivative(a: Tensor, x: Tensor, z: Tensor, dz: Tensor) -> tuple:
        by_x = exp(-x + (a - 1) * log(x) - lgamma(a))
        return sign * dz * _igamma_grad_a(a, x), sign * dz * by_x

    return derivative


#: of float32, which the gradient tests leave alone: the derivative by `a` has no derivative
_SINGLE = [lambda rng: (*rng.uniform(0.5, 4, (2, 4)).astype("f"), {})]


igamma = binary(
    "Igamma", _wide(lambda xp, a, x: _gammas(xp, a, x, upper=False)),
    "Computes the lower regularized incomplete gamma function P(a, x), elementwise.",
    dtypes.FLOATS, _igamma_grads(1), inputs=("a", "x"), samples=_SINGLE,
)  # fmt: skip
igammac = binary(
    "Igammac", _wide(lambda xp, a, x: _gammas(xp, a, x, upper=True)),
    "Computes the upper regularized incomplete gamma function 1 - P(a, x), elementwise.",
    dtypes.FLOATS, _igamma_grads(-1), inputs=("a", "x"), samples=_SINGLE,
)  # fmt: skip


def _beta_fraction(xp: Any, a: Any, b: Any, x: Any) -> Any:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c = xp.ones_like(a)
    d = 1 / _not_zero(xp, 1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, _STEPS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _not_zero(xp, 1 + step * d)
            c = _not_zero(xp, 1 + step / c)
            h = h * d * c
        if not (xp.abs(d * c - 1) > 1e-16).any():
            break
    return h


def _betainc(xp: Any, a: Any, b: Any, x: Any) -> Any:
    a, b, x = (xp.asarray(v) for v in xp.broadcast_arrays(a, b, x))
    inside = (x > 0) & (x < 1)
    safe = xp.where(inside, x, 0.5)
    turned = safe > (a + 1) / (a + b + 2)
    p, q = xp.where(turned, b, a), xp.where(turned, a, b)
    y = xp.where(turned, 1 - safe, safe)
    logs = log_gamma(xp, a + b) - log_gamma(xp, a) - log_gamma(xp, b)
    front = xp.exp(logs + p * xp.log(y) + q * xp.log1p(-y)) / p
    part = front * _beta_fraction(xp, p, q, y)
    result = xp.where(turned, 1 - part, part)
    result = xp.where(x == 0, 0.0, xp.where(x == 1, 1.0, result))
    return xp.where((a <= 0) | (b <= 0) | (x < 0) | (x > 1), np.nan, result)


@op(
    "Betainc",
    "a: T, b: T, x: T -> z: T",
    T=(dtypes.float32, dtypes.float64),
    samples=[lambda rng: (*rng.uniform(0.1, 0.9, (3, 2)).astype("f"), {})],
)
def betainc_op(xp: Any, a: Any, b: Any, x: Any) -> Any:
    """Computes the regularized incomplete beta function I_x(a, b), elementwise."""
    return _wide(_betainc)(xp, a, b, x)


betainc_op.shape(lambda a, b, x: broadcast_shapes(broadcast_shapes(a.shape, b.shape), x.shape))


@betainc_op.gradient
def _betainc_grad(op: Any, dz: Tensor) -> list:
    """By `x` alone, as in TensorFlow."""
    a, b, x = op.inputs
    logs = (b - 1) * log1p(-x) + (a - 1) * log(x) - (lgamma(a) + lgamma(b) - lgamma(a + b))
    return [None, None, unbroadcast(dz * exp(logs), x, op.outputs[0])]


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularized incomplete beta function I_x(a, b), elementwise."""
    return betainc_op(a, b, x, name=name)


# ---- inverses of the error function ------------------------------------------------------

_CENTRE = (
    (-3.969683028665376e01, 2.209460984245205e02, -2.759285104469687e02, 1.383577518672690e02,
     -3.066479806614716e01, 2.506628277459239e00),
    (-5.447609879822406e01, 1.615858368580409e02, -1.556989798598866e02, 6.680131188771972e01,
     -1.328068155288572e01, 1.0),
)  # fmt: skip
_TAIL = (
    (-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e00, -2.549732539343734e00,
     4.374664141464968e00, 2.938163982698783e00),
    (7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e00, 3.754408661907416e00,
     1.0),
)  # fmt: skip


def _ndtri(xp: Any, p: Any) -> Any:
    low = xp.minimum(p, 1 - p)  # by symmetry, the lower half
    safe = xp.where((low > 0) & (low < 1), low, 0.25)
    q = safe - 0.5
    centre = q * quotient(q * q, _CENTRE)
    r = xp.sqrt(-2 * xp.log(safe))
    tail = quotient(r, _TAIL)
    x = xp.where(safe < 0.02425, tail, centre)
    for _ in range(2):
        size = xp.maximum(-x / math.sqrt(2), 0.0)
        below = 0.5 * xp.where(
            size >= 0.46875,
            erfc_of_magnitude(xp, xp.maximum(size, 0.46875)),
            1 - _erf_near_zero(xp, size),
        )
        error = (below - safe) * math.sqrt(2 * math.pi) * xp.exp(x * x / 2)
        x = x - error / (1 + x * error / 2)
    x = xp.where(p > 0.5, -x, x)
    x = xp.where(p == 0, -np.inf, xp.where(p == 1, np.inf, xp.where(p == 0.5, 0.0, x)))
    return xp.where((p < 0) | (p > 1) | xp.isnan(p), np.nan, x)


def _erf_near_zero(xp: Any, x: Any) -> Any:
    """erf for 0 <= x < 0.47: its power series."""
    x = xp.minimum(x, 0.5)
    term = total = x
    for n in range(1, 18):
        term = term * -(x * x) / n
        total = total + term / (2 * n + 1)
    return 2 / math.sqrt(math.pi) * total


def _erfinv(xp: Any, x: Any) -> Any:
    size = xp.abs(x)
    # near 0 the distance of (x + 1) / 2 from 1/2 would lose the digits of x: a Newton step there
    found = _ndtri(xp, (1 - size) / 2) / -math.sqrt(2)
    small = xp.minimum(size, 0.4)
    near = small * math.sqrt(math.pi) / 2 * (1 + math.pi / 12 * small**2)
    for _ in range(4):
        near = near - (_erf_near_zero(xp, near) - small) * math.sqrt(math.pi) / 2 * xp.exp(near**2)
    return xp.copysign(xp.where(size < 0.4, near, found), x)


ndtri = unary(
    "Ndtri", _wide(_ndtri), "Computes the quantile of the standard normal distribution.",
    dtypes.FLOATS, lambda x, y, dy: dy * math.sqrt(2 * math.pi) * exp(y * y / 2),
    domain=(0.1, 0.9),
)  # fmt: skip
erfinv = unary(
    "Erfinv", _wide(_erfinv), "Computes the inverse of the error function, elementwise.",
    dtypes.FLOATS, lambda x, y, dy: dy * (math.sqrt(math.pi) / 2) * exp(y * y),
    domain=(-0.9, 0.9),
)  # fmt: skip


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the complementary error function, elementwise.

    Args:
      x: float, from 0 to 2.
      name: the name of the scope.
    """
    with name_scope(name, "erfcinv", [x]):
        start = convert_to_tensor(x, name="start")
        return -ndtri(0.5 * start) * math.sqrt(0.5)


# ---- Bessel ------------------------------------------------------------------------------


def _bessel(order: int) -> Callable[..., Any]:
    """The modified Bessel function of the first kind, times exp(-abs(x))."""

    def function(xp: Any, x: Any) -> Any:
        size = xp.abs(x)
        near = xp.minimum(size, 20.0)
        square = near * near / 4
        term = total = xp.ones_like(near) if order == 0 else near / 2
        for k in range(1, 60):
            term = term * square / (k * (k + order))
            total = total + term
        far = xp.maximum(size, 20.0)
        piece = series = xp.ones_like(far)
        for k in range(1, 30):
            piece = piece * -(4 * order * order - (2 * k - 1) ** 2) / (8 * k * far)
            series = series + piece
        large = series / xp.sqrt(2 * math.pi * far)
        result = xp.where(size < 20, total * xp.exp(-near), large)
        return result if order == 0 else xp.copysign(result, x)

    return function


bessel_i0e = unary(
    "BesselI0e", _wide(_bessel(0)), "Computes exp(-abs(x)) bessel_i0(x), elementwise.",
    dtypes.FLOATS, lambda x, y, dy: dy * (bessel_i1e(x) - sign(x) * y), public="bessel_i0e",
)  # fmt: skip
bessel_i1e = unary(
    "BesselI1e", _wide(_bessel(1)), "Computes exp(-abs(x)) bessel_i1(x), elementwise.",
    dtypes.FLOATS, lambda x, y, dy: dy * (bessel_i0e(x) - y * (sign(x) + 1 / x)),
    public="bessel_i1e", domain=(0.3, 2.0),
)  # fmt: skip


def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0, elementwise."""
    with name_scope(name, "bessel_i0", [x]):
        x = convert_to_tensor(x)
        return exp(magnitude(x)) * bessel_i0e(x)


def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 1, elementwise."""
    with name_scope(name, "bessel_i1", [x]):
        x = convert_to_tensor(x)
        return exp(magnitude(x)) * bessel_i1e(x)

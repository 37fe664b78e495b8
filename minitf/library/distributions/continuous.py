"""Distributions of real numbers: normal, uniform, Laplace, Student's t, gamma, beta and kin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softplus
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.comparisons import greater, less, logical_or, where_v2
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import (
    atan,
    exp,
    floor,
    is_nan,
    log,
    log1p,
    maximum,
    minimum,
    rsqrt,
    sigmoid,
    sign,
    square,
    tan,
)
from minitf.core.ops.random import random_normal, random_uniform
from minitf.core.ops.reductions import reduce_sum
from minitf.library.distributions.base import Distribution, RegisterKL, family, through
from minitf.library.numeric.diagonals import matrix_set_diag
from minitf.library.numeric.error_function import erfc
from minitf.library.numeric.gamma_functions import (
    betainc,
    digamma,
    igamma,
    igammac,
    lbeta,
    lgamma,
    ndtri,
)
from minitf.library.numeric.products import xlogy
from minitf.library.numeric.random_distributions import random_gamma

_HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


class _LocationScale(Distribution):
    """A distribution that is moved to `loc` and stretched by `scale`."""

    _positive = ("scale",)
    loc: Tensor
    scale: Tensor

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _mean(self) -> Any:
        return self.loc * ones_like(self.scale)

    def _mode(self) -> Any:
        return self._mean()


class Normal(_LocationScale):
    """The normal distribution.

    Args:
      loc: the mean.
      scale: the standard deviation.
      validate_args: whether to check the parameters while the step runs.
      allow_nan_stats: whether a mean that does not exist is NaN, rather than an error.
      name: the scope of its operations.
    Example:
      >>> sess.run(tf.distributions.Normal(0.0, 1.0).cdf(0.0))
      0.5
    """

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:  # fmt: skip
        self._start(locals(), "loc", "scale")

    def _sample_n(self, n: Any, seed: Any) -> Any:
        return random_normal(self._samples(n), dtype=self._dtype, seed=seed) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        return -0.5 * square(self._z(x)) - (_HALF_LOG_TAU + log(self.scale))

    def _log_cdf(self, x: Any) -> Any:
        return log_ndtr(self._z(x))

    def _cdf(self, x: Any) -> Any:
        return ndtr(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return log_ndtr(-self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return ndtr(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        return ndtri(p) * self.scale + self.loc

    def _entropy(self) -> Any:
        return 0.5 + _HALF_LOG_TAU + log(self.scale * ones_like(self.loc))

    def _stddev(self) -> Any:
        return self.scale * ones_like(self.loc)


def ndtr(x: Any, name: str = "ndtr") -> Any:
    """The probability that a standard normal number is at most x."""
    with name_scope(name, values=[x]):
        return 0.5 * erfc(convert_to_tensor(x, name="x") * -math.sqrt(0.5))


def log_ndtr(x: Any, series_order: int = 3, name: str = "log_ndtr") -> Any:
    """The logarithm of `ndtr`, also where that is too small to be a number.

    Far below, `ndtr` is its density by -x and a series in 1 / x^2 of `series_order` terms, at most
    30; far above, 1 less a little.
    """
    if not 0 <= series_order <= 30:
        raise ValueError(f"series_order must be {'<= 30' if series_order > 0 else 'non-negative'}.")
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        low, high = (-20.0, 8.0) if x.dtype.base_dtype == dtypes.float64 else (-10.0, 5.0)
        far, series = minimum(x, low), ones_like(x)
        for n in range(series_order, 0, -1):
            series = 1.0 - (2 * n - 1) / square(far) * series
        below = -0.5 * square(far) - log(-far) - _HALF_LOG_TAU + log(series)
        middle = log(ndtr(maximum(minimum(x, high), low)))
        return where_v2(x > high, -ndtr(-x), where_v2(x > low, middle, below))


def log_cdf_laplace(x: Any, name: str = "log_cdf_laplace") -> Any:
    """The logarithm of the probability that a number of Laplace's standard law is at most x."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        return where_v2(x < 0.0, x - math.log(2.0), log1p(-0.5 * exp(-absolute(x))))


class Laplace(_LocationScale):
    """The Laplace distribution, two exponential ones back to back; see `Normal`."""

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:  # fmt: skip
        self._start(locals(), "loc", "scale")

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = self._samples(n)
        least = np.nextafter(self._dtype.as_numpy_dtype(-1.0), self._dtype.as_numpy_dtype(0.0))
        draws = random_uniform(shape, least, 1.0, self._dtype, seed)
        return self.loc - self.scale * sign(draws) * log1p(-absolute(draws))

    def _log_prob(self, x: Any) -> Any:
        return -absolute(self._z(x)) - (math.log(2.0) + log(self.scale))

    def _cdf(self, x: Any) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * sign(z) * (1.0 - exp(-absolute(z)))

    def _log_cdf(self, x: Any) -> Any:
        return log_cdf_laplace(self._z(x))

    def _entropy(self) -> Any:
        return math.log(2.0) + 1.0 + log(self.scale + zeros_like(self.loc))

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale + zeros_like(self.loc)


class StudentT(_LocationScale):
    """Student's t distribution.

    Args:
      df: the degrees of freedom.
      loc, scale, validate_args, allow_nan_stats, name: see `Normal`.
    """

    _positive = ("df",)
    df: Tensor

    def __init__(
        self, df: Any, loc: Any, scale: Any, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "StudentT",
    ) -> None:  # fmt: skip
        self._start(locals(), "df", "loc", "scale")

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = self._samples(n)
        df = self.df * self._ones()
        normal = random_normal(shape, dtype=self._dtype, seed=seed)
        other = None if seed is None else seed + 1
        chi = random_gamma([n], 0.5 * df, beta=0.5, dtype=self._dtype, seed=other)
        return normal * rsqrt(chi / df) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        df = self.df
        size = log(absolute(self.scale)) + 0.5 * log(df) + 0.5 * math.log(math.pi)
        size += lgamma(0.5 * df) - lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * log1p(square(self._z(x)) / df) - size

    def _cdf(self, x: Any) -> Any:
        y = (x - self.loc) / absolute(self.scale)
        half = 0.5 * betainc(0.5 * self.df, 0.5 * ones_like(self.df), self.df / (y * y + self.df))
        return where_v2(less(y, 0.0), half, 1.0 - half)

    def _entropy(self) -> Any:
        df = self.df * self._ones()
        halves = 0.5 * df, 0.5 * ones_like(df)
        size = lgamma(halves[0]) + lgamma(halves[1]) - lgamma(halves[0] + halves[1])
        rise = 0.5 * (df + 1.0) * (digamma(0.5 * (df + 1.0)) - digamma(0.5 * df))
        return log(absolute(self.scale)) + 0.5 * log(df) + size + rise

    def _mean(self) -> Any:
        return self._where_defined(self.df > self._ones(), self.loc * self._ones(), "mean")

    def _variance(self) -> Any:
        df, unit = self.df, self._ones()
        safe = where_v2(df > 2.0, df - 2.0, ones_like(df))
        finite = unit * square(self.scale) * df / safe
        whole = where_v2(df > 2.0 * unit, finite, constant(np.inf, self._dtype))
        return self._where_defined(df > unit, whole, "variance")

    def _mode(self) -> Any:
        return self.loc * self._ones()


class Uniform(Distribution):
    """The uniform distribution between two numbers.

    Args:
      low: the lower bound, which may come.
      high: the upper one, which does not.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    low: Tensor
    high: Tensor

    def __init__(
        self, low: Any = 0.0, high: Any = 1.0, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Uniform",
    ) -> None:  # fmt: skip
        self._start(locals(), "low", "high")

    def range(self, name: str = "range") -> Tensor:
        """`high - low`."""
        with self._scope(name):
            return self.high - self.low

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = self._samples(n)
        return self.low + self.range() * random_uniform(shape, dtype=self._dtype, seed=seed)

    def _prob(self, x: Any) -> Any:
        x = x * self._ones()
        outside = logical_or(x < self.low, x >= self.high)
        inside = where_v2(outside, zeros_like(x), ones_like(x) / self.range())
        return where_v2(is_nan(x), x, inside)

    def _cdf(self, x: Any) -> Any:
        x = x * self._ones()
        between = where_v2(x < self.low, zeros_like(x), (x - self.low) / self.range())
        return where_v2(x >= self.high, ones_like(x), between)

    def _entropy(self) -> Any:
        return log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return square(self.range()) / 12.0


# ---- positive numbers, and parts of one ----------------------------------------------------------


class Gamma(Distribution):
    """The gamma distribution.

    Args:
      concentration: its shape.
      rate: the inverse of its width.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _positive: Sequence[str] = ("concentration", "rate")
    concentration: Tensor
    rate: Tensor

    def __init__(
        self, concentration: Any, rate: Any, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Gamma",
    ) -> None:  # fmt: skip
        self._start(locals(), "concentration", "rate")

    def _sample_n(self, n: Any, seed: Any) -> Any:
        return random_gamma([n], self.concentration, self.rate, self._dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        size = lgamma(self.concentration) - self.concentration * log(self.rate)
        return xlogy(self.concentration - 1.0, x) - self.rate * x - size

    def _cdf(self, x: Any) -> Any:
        return igamma(self.concentration * self._ones(), self.rate * x * self._ones())

    def _entropy(self) -> Any:
        a = self.concentration
        return a - log(self.rate) + lgamma(a) + (1.0 - a) * digamma(a)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / square(self.rate)

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / self.rate
        return self._where_defined(greater(self.concentration, 1.0), mode, "mode")


class Exponential(Gamma):
    """The exponential distribution.

    Args:
      rate: the inverse of the mean.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _positive = ("rate",)

    def __init__(
        self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:  # fmt: skip
        self._start(locals(), "rate")
        self.concentration = ones_like(self.rate)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = self._samples(n)
        tiny = np.finfo(self._dtype.as_numpy_dtype).tiny
        return -log(random_uniform(shape, tiny, 1.0, self._dtype, seed)) / self.rate


class Beta(Distribution):
    """The beta distribution, of numbers between 0 and 1.

    Args:
      concentration1: how much weighs towards 1.
      concentration0: how much weighs towards 0.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _positive = ("concentration1", "concentration0")
    concentration1: Tensor
    concentration0: Tensor

    def __init__(
        self, concentration1: Any = None, concentration0: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Beta",
    ) -> None:  # fmt: skip
        self._start(locals(), "concentration1", "concentration0")
        self.total_concentration = self.concentration1 + self.concentration0

    def _size(self) -> Any:
        a, b = self.concentration1, self.concentration0
        return lgamma(a) + lgamma(b) - lgamma(self.total_concentration)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        unit, other = ones_like(self.total_concentration), None if seed is None else seed + 1
        one = random_gamma([n], unit * self.concentration1, dtype=self._dtype, seed=seed)
        zero = random_gamma([n], unit * self.concentration0, dtype=self._dtype, seed=other)
        return one / (one + zero)

    def _log_prob(self, x: Any) -> Any:
        a, b = self.concentration1 - 1.0, self.concentration0 - 1.0
        return xlogy(a, x) + b * log1p(-x) - self._size()

    def _cdf(self, x: Any) -> Any:
        unit = self._ones() * ones_like(x)
        return betainc(self.concentration1 * unit, self.concentration0 * unit, x * unit)

    def _entropy(self) -> Any:
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        rises = (a - 1.0) * digamma(a) + (b - 1.0) * digamma(b)
        return self._size() - rises + (total - 2.0) * digamma(total)

    def _mean(self) -> Any:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration)

    def _mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        is_defined = minimum(a, b) > 1.0
        return self._where_defined(is_defined, (a - 1.0) / (self.total_concentration - 2.0), "mode")


class Dirichlet(Distribution):
    """The Dirichlet distribution, of vectors of positive numbers whose sum is 1.

    Args:
      concentration: [..., k], how much weighs towards each of them.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _positive = ("concentration",)
    _event_rank = 1
    concentration: Tensor

    def __init__(
        self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:  # fmt: skip
        self._start(locals(), "concentration")
        self.total_concentration = reduce_sum(self.concentration, -1)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        draws = random_gamma([n], self.concentration, dtype=self._dtype, seed=seed)
        return draws / reduce_sum(draws, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        return reduce_sum(xlogy(self.concentration - 1.0, x), -1) - lbeta(self.concentration)

    def _entropy(self) -> Any:
        a, total = self.concentration, self.total_concentration
        k = self._k()
        return lbeta(a) + (total - k) * digamma(total) - reduce_sum((a - 1.0) * digamma(a), -1)

    def _k(self) -> Any:
        return reduce_sum(ones_like(self.concentration), -1)

    def _mean(self) -> Any:
        return self.concentration / self.total_concentration[..., None]

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration[..., None])

    def _covariance(self) -> Any:
        mean = self._mean()
        outer = mean[..., None] * (mean / (1.0 + self.total_concentration[..., None]))[..., None, :]
        return matrix_set_diag(-outer, self._variance())

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / (self.total_concentration - self._k())[..., None]
        return self._where_defined(self.concentration > 1.0, mode, "mode")


# ---- rows of formulas --------------------------------------------------------------------------


def _undefined(d: Any) -> Any:
    return d._where_defined(d._ones() < 0.0, d._ones(), "moment")


Cauchy = family(
    "Cauchy", "The Cauchy distribution, of heavy tails; see `Normal`.", "loc scale", _LocationScale,
    log_prob=lambda d, x: -log1p(square(d._z(x))) - log(math.pi * d.scale),
    cdf=lambda d, x: 0.5 + atan(d._z(x)) / math.pi,
    quantile=lambda d, p: d.loc + d.scale * tan(math.pi * (p - 0.5)),
    entropy=lambda d: math.log(4.0 * math.pi) + log(d.scale) + zeros_like(d.loc),
    mode=_LocationScale._mean, mean=_undefined, variance=_undefined,
)  # fmt: skip
Logistic = family(
    "Logistic", "The logistic distribution; see `Normal`.", "loc scale", _LocationScale,
    log_prob=lambda d, x: -d._z(x) - 2.0 * softplus(-d._z(x)) - log(d.scale),
    cdf=lambda d, x: sigmoid(d._z(x)),
    log_cdf=lambda d, x: -softplus(-d._z(x)),
    quantile=lambda d, p: d.loc + d.scale * (log(p) - log1p(-p)),
    entropy=lambda d: 2.0 + log(d.scale) + zeros_like(d.loc),
    stddev=lambda d: d.scale * math.pi / math.sqrt(3.0) + zeros_like(d.loc),
    survival_function=lambda d, x: sigmoid(-d._z(x)),
)  # fmt: skip
HalfNormal = family(
    "HalfNormal", "The absolute value of a normal number around 0.", "scale", positive=("scale",),
    log_prob=lambda d, x: where_v2(
        x < 0.0, -np.inf, 0.5 * math.log(2.0 / math.pi) - log(d.scale) - 0.5 * square(x / d.scale)
    ),
    cdf=lambda d, x: 2.0 * ndtr(maximum(x, 0.0) / d.scale) - 1.0,
    quantile=lambda d, p: d.scale * ndtri(0.5 + 0.5 * p),
    entropy=lambda d: 0.5 * math.log(math.pi / 2.0) + 0.5 + log(d.scale),
    mean=lambda d: d.scale * math.sqrt(2.0 / math.pi),
    stddev=lambda d: d.scale * math.sqrt(1.0 - 2.0 / math.pi),
    mode=lambda d: zeros_like(d.scale),
)  # fmt: skip
InverseGamma = family(
    "InverseGamma", "The distribution of 1 / x for x of a `Gamma`.", "concentration rate",
    positive=("concentration", "rate"),
    log_prob=lambda d, x: (
        d.concentration * log(d.rate) - lgamma(d.concentration)
        - (1.0 + d.concentration) * log(x) - d.rate / x
    ),
    cdf=lambda d, x: igammac(d.concentration * ones_like(d.rate / x), d.rate / x * d._ones()),
    sample_n=lambda d, n, seed: 1.0 / random_gamma([n], d.concentration, d.rate, d.dtype, seed),
    entropy=lambda d: (
        d.concentration + log(d.rate) + lgamma(d.concentration)
        - (1.0 + d.concentration) * digamma(d.concentration)
    ),
    mean=lambda d: d._where_defined(d.concentration > 1.0, d.rate / (d.concentration - 1), "mean"),
    variance=lambda d: d._where_defined(
        d.concentration > 2.0,
        square(d.rate / (d.concentration - 1.0)) / (d.concentration - 2.0), "variance",
    ),
    mode=lambda d: d.rate / (1.0 + d.concentration),
)  # fmt: skip
Kumaraswamy = family(
    "Kumaraswamy", "Numbers between 0 and 1: 1 - (1 - x^a)^b is the probability below x.",
    "concentration1=None concentration0=None", positive=("concentration1", "concentration0"),
    log_prob=lambda d, x: (
        log(d.concentration1 * d.concentration0) + (d.concentration1 - 1.0) * log(x)
        + (d.concentration0 - 1.0) * log1p(-(x**d.concentration1))
    ),
    cdf=lambda d, x: 1.0 - (1.0 - x**d.concentration1) ** d.concentration0,
    quantile=lambda d, p: (1.0 - (1.0 - p) ** (1.0 / d.concentration0)) ** (1.0 / d.concentration1),
    mean=lambda d: d._moment(1.0), variance=lambda d: d._moment(2.0) - square(d._moment(1.0)),
    moment=lambda d, n: d.concentration0 * exp(
        lgamma(1.0 + n / d.concentration1) + lgamma(d.concentration0)
        - lgamma(1.0 + n / d.concentration1 + d.concentration0)
    ),
)  # fmt: skip


def _chi2(d: Any, given: dict[str, Any], names: Sequence[str]) -> None:
    d._start(given, *names)
    d.concentration, d.rate = 0.5 * d.df, 0.5 * ones_like(d.df)


Chi2 = family(
    "Chi2", "The sum of the squares of `df` normal numbers.", "df", Gamma, positive=("df",),
    begin=_chi2,
)  # fmt: skip
Chi2WithAbsDf = through("Chi2WithAbsDf", Chi2, df=lambda df: floor(absolute(df)))
BetaWithSoftplusConcentration = through(
    "BetaWithSoftplusConcentration", Beta, concentration1=softplus, concentration0=softplus
)
ExponentialWithSoftplusRate = through("ExponentialWithSoftplusRate", Exponential, rate=softplus)
GammaWithSoftplusConcentrationRate, InverseGammaWithSoftplusConcentrationRate = (
    through(
        f"{base.__name__}WithSoftplusConcentrationRate", base, concentration=softplus, rate=softplus
    )
    for base in (Gamma, InverseGamma)
)
LaplaceWithSoftplusScale = through("LaplaceWithSoftplusScale", Laplace, scale=softplus)
NormalWithSoftplusScale = through("NormalWithSoftplusScale", Normal, scale=softplus)
StudentTWithAbsDfSoftplusScale = through(
    "StudentTWithAbsDfSoftplusScale", StudentT, df=lambda df: floor(absolute(df)), scale=softplus
)


# ---- divergences -------------------------------------------------------------------------------


@RegisterKL(Normal, Normal)
def _normal(a: Normal, b: Normal, name: str | None = None) -> Any:
    ratio = square(a.scale / b.scale)
    return square(a.loc - b.loc) / (2.0 * square(b.scale)) + 0.5 * (ratio - 1.0 - log(ratio))


@RegisterKL(Gamma, Gamma)
def _gamma(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    rise = (a.concentration - b.concentration) * digamma(a.concentration)
    size = lgamma(b.concentration) - lgamma(a.concentration)
    rates = b.concentration * log(a.rate) - b.concentration * log(b.rate)
    return rise + size + rates + a.concentration * (b.rate / a.rate - 1.0)


@RegisterKL(Beta, Beta)
def _beta(a: Beta, b: Beta, name: str | None = None) -> Any:
    def change(field: str) -> Any:
        here, there = getattr(a, field), getattr(b, field)
        return (here - there) * digamma(here)

    rises = change("concentration1") + change("concentration0") - change("total_concentration")
    return b._size() - a._size() + rises


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlet(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    rise = digamma(a.concentration) - digamma(a.total_concentration[..., None])
    change = reduce_sum((a.concentration - b.concentration) * rise, -1)
    return change - lbeta(a.concentration) + lbeta(b.concentration)

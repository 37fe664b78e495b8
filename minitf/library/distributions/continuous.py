"""Distributions of real numbers: normal, uniform, Laplace, Student's t, gamma, beta and kin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.comparisons import greater, less, logical_or, where_v2
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import exp, is_nan, log, log1p, maximum, minimum, rsqrt, sign, square
from minitf.core.ops.random import random_normal, random_uniform
from minitf.core.ops.reductions import reduce_sum
from minitf.library.distributions.base import Distribution, RegisterKL
from minitf.library.numeric.diagonals import matrix_set_diag
from minitf.library.numeric.error_function import erfc
from minitf.library.numeric.gamma_functions import betainc, digamma, igamma, lbeta, lgamma, ndtri
from minitf.library.numeric.products import xlogy
from minitf.library.numeric.random_distributions import random_gamma

_HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


class _LocationScale(Distribution):
    """A distribution that is moved to `loc` and stretched by `scale`."""

    _positive = ("scale",)
    _loc: Tensor
    _scale: Tensor

    @property
    def loc(self) -> Tensor:
        """Where the middle is."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """How wide it is."""
        return self._scale

    def _z(self, x: Any) -> Any:
        return (x - self._loc) / self._scale

    def _mean(self) -> Any:
        return self._loc * ones_like(self._scale)

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
        shape = concat([[n], self.batch_shape_tensor()], 0)
        return random_normal(shape, dtype=self._dtype, seed=seed) * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        return -0.5 * square(self._z(x)) - (_HALF_LOG_TAU + log(self._scale))

    def _log_cdf(self, x: Any) -> Any:
        return log_ndtr(self._z(x))

    def _cdf(self, x: Any) -> Any:
        return ndtr(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return log_ndtr(-self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return ndtr(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        return ndtri(p) * self._scale + self._loc

    def _entropy(self) -> Any:
        return 0.5 + _HALF_LOG_TAU + log(self._scale * ones_like(self._loc))

    def _stddev(self) -> Any:
        return self._scale * ones_like(self._loc)


def ndtr(x: Any) -> Any:
    """The probability that a standard normal number is at most x."""
    return 0.5 * erfc(x * -math.sqrt(0.5))


def log_ndtr(x: Any) -> Any:
    """The logarithm of `ndtr`, also where that is too small to be a number.

    Far below, `ndtr` is its density by -x and a series in 1 / x^2; far above, 1 less a little.
    """
    single = x.dtype.base_dtype != dtypes.float64
    low, high = (-10.0, 5.0) if single else (-20.0, 8.0)
    far, sq = minimum(x, low), square(minimum(x, low))
    series = 1.0 - 1.0 / sq + 3.0 / square(sq) - 15.0 / (sq * square(sq))
    below = -0.5 * sq - log(-far) - _HALF_LOG_TAU + log(series)
    middle = log(ndtr(maximum(minimum(x, high), low)))
    return where_v2(x > high, -ndtr(-x), where_v2(x > low, middle, below))


class Laplace(_LocationScale):
    """The Laplace distribution, two exponential ones back to back; see `Normal`."""

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:  # fmt: skip
        self._start(locals(), "loc", "scale")

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        least = np.nextafter(self._dtype.as_numpy_dtype(-1.0), self._dtype.as_numpy_dtype(0.0))
        draws = random_uniform(shape, least, 1.0, self._dtype, seed)
        return self._loc - self._scale * sign(draws) * log1p(-absolute(draws))

    def _log_prob(self, x: Any) -> Any:
        return -absolute(self._z(x)) - (math.log(2.0) + log(self._scale))

    def _cdf(self, x: Any) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * sign(z) * (1.0 - exp(-absolute(z)))

    def _log_cdf(self, x: Any) -> Any:
        z = self._z(x)
        tail = exp(-absolute(z))
        return where_v2(z < 0.0, z - math.log(2.0), log1p(-0.5 * tail))

    def _entropy(self) -> Any:
        return math.log(2.0) + 1.0 + log(self._scale + zeros_like(self._loc))

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self._scale + zeros_like(self._loc)


class StudentT(_LocationScale):
    """Student's t distribution.

    Args:
      df: the degrees of freedom.
      loc, scale, validate_args, allow_nan_stats, name: see `Normal`.
    """

    _positive = ("df",)
    _df: Tensor

    def __init__(
        self, df: Any, loc: Any, scale: Any, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "StudentT",
    ) -> None:  # fmt: skip
        self._start(locals(), "df", "loc", "scale")

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        df = self._df * self._ones()
        normal = random_normal(shape, dtype=self._dtype, seed=seed)
        other = None if seed is None else seed + 1
        chi = random_gamma([n], 0.5 * df, beta=0.5, dtype=self._dtype, seed=other)
        return normal * rsqrt(chi / df) * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        df = self._df
        size = log(absolute(self._scale)) + 0.5 * log(df) + 0.5 * math.log(math.pi)
        size += lgamma(0.5 * df) - lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * log1p(square(self._z(x)) / df) - size

    def _cdf(self, x: Any) -> Any:
        y = (x - self._loc) / absolute(self._scale)
        half = 0.5 * betainc(
            0.5 * self._df, 0.5 * ones_like(self._df), self._df / (y * y + self._df)
        )
        return where_v2(less(y, 0.0), half, 1.0 - half)

    def _entropy(self) -> Any:
        df = self._df * self._ones()
        halves = 0.5 * df, 0.5 * ones_like(df)
        size = lgamma(halves[0]) + lgamma(halves[1]) - lgamma(halves[0] + halves[1])
        rise = 0.5 * (df + 1.0) * (digamma(0.5 * (df + 1.0)) - digamma(0.5 * df))
        return log(absolute(self._scale)) + 0.5 * log(df) + size + rise

    def _mean(self) -> Any:
        return self._where_defined(self._df > self._ones(), self._loc * self._ones(), "mean")

    def _variance(self) -> Any:
        df, unit = self._df, self._ones()
        safe = where_v2(df > 2.0, df - 2.0, ones_like(df))
        finite = unit * square(self._scale) * df / safe
        whole = where_v2(df > 2.0 * unit, finite, constant(np.inf, self._dtype))
        return self._where_defined(df > unit, whole, "variance")

    def _mode(self) -> Any:
        return self._loc * self._ones()


class Uniform(Distribution):
    """The uniform distribution between two numbers.

    Args:
      low: the lower bound, which may come.
      high: the upper one, which does not.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _low: Tensor
    _high: Tensor

    def __init__(
        self, low: Any = 0.0, high: Any = 1.0, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Uniform",
    ) -> None:  # fmt: skip
        self._start(locals(), "low", "high")

    @property
    def low(self) -> Tensor:
        """The lower bound."""
        return self._low

    @property
    def high(self) -> Tensor:
        """The upper bound."""
        return self._high

    def range(self, name: str = "range") -> Tensor:
        """`high - low`."""
        with self._scope(name):
            return self._high - self._low

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        return self._low + self.range() * random_uniform(shape, dtype=self._dtype, seed=seed)

    def _prob(self, x: Any) -> Any:
        x = x * self._ones()
        outside = logical_or(x < self._low, x >= self._high)
        inside = where_v2(outside, zeros_like(x), ones_like(x) / self.range())
        return where_v2(is_nan(x), x, inside)

    def _cdf(self, x: Any) -> Any:
        x = x * self._ones()
        between = where_v2(x < self._low, zeros_like(x), (x - self._low) / self.range())
        return where_v2(x >= self._high, ones_like(x), between)

    def _entropy(self) -> Any:
        return log(self.range())

    def _mean(self) -> Any:
        return (self._low + self._high) / 2.0

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
    _concentration: Tensor
    _rate: Tensor

    def __init__(
        self, concentration: Any, rate: Any, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Gamma",
    ) -> None:  # fmt: skip
        self._start(locals(), "concentration", "rate")

    @property
    def concentration(self) -> Tensor:
        """The shape."""
        return self._concentration

    @property
    def rate(self) -> Tensor:
        """The inverse of the width."""
        return self._rate

    def _sample_n(self, n: Any, seed: Any) -> Any:
        return random_gamma([n], self._concentration, self._rate, self._dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        size = lgamma(self._concentration) - self._concentration * log(self._rate)
        return xlogy(self._concentration - 1.0, x) - self._rate * x - size

    def _cdf(self, x: Any) -> Any:
        return igamma(self._concentration * self._ones(), self._rate * x * self._ones())

    def _entropy(self) -> Any:
        a = self._concentration
        return a - log(self._rate) + lgamma(a) + (1.0 - a) * digamma(a)

    def _mean(self) -> Any:
        return self._concentration / self._rate

    def _variance(self) -> Any:
        return self._concentration / square(self._rate)

    def _mode(self) -> Any:
        mode = (self._concentration - 1.0) / self._rate
        return self._where_defined(greater(self._concentration, 1.0), mode, "mode")


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
        self._concentration = ones_like(self._rate)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        tiny = np.finfo(self._dtype.as_numpy_dtype).tiny
        return -log(random_uniform(shape, tiny, 1.0, self._dtype, seed)) / self._rate


class Beta(Distribution):
    """The beta distribution, of numbers between 0 and 1.

    Args:
      concentration1: how much weighs towards 1.
      concentration0: how much weighs towards 0.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _positive = ("concentration1", "concentration0")
    _concentration1: Tensor
    _concentration0: Tensor

    def __init__(
        self, concentration1: Any = None, concentration0: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Beta",
    ) -> None:  # fmt: skip
        self._start(locals(), "concentration1", "concentration0")
        self._total = self._concentration1 + self._concentration0

    @property
    def concentration1(self) -> Tensor:
        """How much weighs towards 1."""
        return self._concentration1

    @property
    def concentration0(self) -> Tensor:
        """How much weighs towards 0."""
        return self._concentration0

    @property
    def total_concentration(self) -> Tensor:
        """The sum of both."""
        return self._total

    def _size(self) -> Any:
        a, b = self._concentration1, self._concentration0
        return lgamma(a) + lgamma(b) - lgamma(self._total)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        unit, other = ones_like(self._total), None if seed is None else seed + 1
        one = random_gamma([n], unit * self._concentration1, dtype=self._dtype, seed=seed)
        zero = random_gamma([n], unit * self._concentration0, dtype=self._dtype, seed=other)
        return one / (one + zero)

    def _log_prob(self, x: Any) -> Any:
        a, b = self._concentration1 - 1.0, self._concentration0 - 1.0
        return xlogy(a, x) + b * log1p(-x) - self._size()

    def _cdf(self, x: Any) -> Any:
        unit = self._ones() * ones_like(x)
        return betainc(self._concentration1 * unit, self._concentration0 * unit, x * unit)

    def _entropy(self) -> Any:
        a, b, total = self._concentration1, self._concentration0, self._total
        rises = (a - 1.0) * digamma(a) + (b - 1.0) * digamma(b)
        return self._size() - rises + (total - 2.0) * digamma(total)

    def _mean(self) -> Any:
        return self._concentration1 / self._total

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self._total)

    def _mode(self) -> Any:
        a, b = self._concentration1, self._concentration0
        is_defined = minimum(a, b) > 1.0
        return self._where_defined(is_defined, (a - 1.0) / (self._total - 2.0), "mode")


class Dirichlet(Distribution):
    """The Dirichlet distribution, of vectors of positive numbers whose sum is 1.

    Args:
      concentration: [..., k], how much weighs towards each of them.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _positive = ("concentration",)
    _event_rank = 1
    _concentration: Tensor

    def __init__(
        self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:  # fmt: skip
        self._start(locals(), "concentration")
        self._total = reduce_sum(self._concentration, -1)

    @property
    def concentration(self) -> Tensor:
        """How much weighs towards each."""
        return self._concentration

    @property
    def total_concentration(self) -> Tensor:
        """The sum of them."""
        return self._total

    def _sample_n(self, n: Any, seed: Any) -> Any:
        draws = random_gamma([n], self._concentration, dtype=self._dtype, seed=seed)
        return draws / reduce_sum(draws, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        return reduce_sum(xlogy(self._concentration - 1.0, x), -1) - lbeta(self._concentration)

    def _entropy(self) -> Any:
        a, total = self._concentration, self._total
        k = self._k()
        return lbeta(a) + (total - k) * digamma(total) - reduce_sum((a - 1.0) * digamma(a), -1)

    def _k(self) -> Any:
        return reduce_sum(ones_like(self._concentration), -1)

    def _mean(self) -> Any:
        return self._concentration / self._total[..., None]

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self._total[..., None])

    def _covariance(self) -> Any:
        mean = self._mean()
        outer = mean[..., None] * (mean / (1.0 + self._total[..., None]))[..., None, :]
        return matrix_set_diag(-outer, self._variance())

    def _mode(self) -> Any:
        mode = (self._concentration - 1.0) / (self._total - self._k())[..., None]
        return self._where_defined(self._concentration > 1.0, mode, "mode")


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

"""Distributions of real numbers: normal, uniform, Laplace, Student's t, gamma, beta and kin."""

from __future__ import annotations

import math
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.comparisons import logical_or, where_v2
from minitf.core.ops.math import is_nan, log, maximum, minimum, square
from minitf.core.ops.random import random_normal, random_uniform
from minitf.library.distributions.base import Distribution, RegisterKL
from minitf.library.numeric.error_function import erfc
from minitf.library.numeric.gamma_functions import ndtri

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
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
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
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
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


# ---- divergences -------------------------------------------------------------------------------


@RegisterKL(Normal, Normal)
def _normal(a: Normal, b: Normal, name: str | None = None) -> Any:
    ratio = square(a.scale / b.scale)
    return square(a.loc - b.loc) / (2.0 * square(b.scale)) + 0.5 * (ratio - 1.0 - log(ratio))

"""More distributions, which `tf.contrib.distributions` has: of vectors, counts, relaxed classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import log_softmax, softmax
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.math import exp, expm1, floor, log
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_max, reduce_sum
from minitf.library.distributions.base import (
    NOT_REPARAMETERIZED,
    Distribution,
    RegisterKL,
    kl_divergence,
)
from minitf.library.distributions.continuous import Normal
from minitf.library.numeric.diagonals import matrix_diag
from minitf.library.numeric.gamma_functions import lgamma
from minitf.library.numeric.products import xlogy
from minitf.library.numeric.random_distributions import random_poisson


class Independent(Distribution):
    """Several distributions taken for one, whose draws hold one number of each.

    Args:
      distribution: the distributions.
      reinterpreted_batch_ndims: how many last axes of their batch become axes of a draw; all but
        the first by default.
      validate_args, name: see `Normal`.
    """

    def __init__(
        self, distribution: Distribution, reinterpreted_batch_ndims: int | None = None,
        validate_args: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        name = name or "Independent" + distribution.name
        self._start(locals())
        self._inner, self._dtype = distribution, distribution.dtype
        rank = distribution.batch_shape.ndims or 0
        count = reinterpreted_batch_ndims
        self._count = max(0, rank - 1) if count is None else count
        self._reparameterization_type = distribution.reparameterization_type

    @property
    def distribution(self) -> Distribution:
        """The distributions."""
        return self._inner

    @property
    def batch_shape(self) -> TensorShape:
        whole = self._inner.batch_shape
        return whole if whole.ndims is None else whole[: whole.ndims - self._count]

    @property
    def event_shape(self) -> TensorShape:
        whole = self._inner.batch_shape
        if whole.ndims is None:
            return whole
        return whole[whole.ndims - self._count :].concatenate(self._inner.event_shape)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        return self._inner.sample(n, seed)

    def _over_event(self, value: Any) -> Any:
        return reduce_sum(value, list(range(-self._count, 0))) if self._count else value

    def _log_prob(self, x: Any) -> Any:
        return self._over_event(self._inner.log_prob(x))

    def _entropy(self) -> Any:
        return self._over_event(self._inner.entropy())

    def _mean(self) -> Any:
        return self._inner.mean()

    def _variance(self) -> Any:
        return self._inner.variance()

    def _mode(self) -> Any:
        return self._inner.mode()


class MultivariateNormalDiag(Independent):
    """Normal vectors whose numbers know nothing of each other.

    Args:
      loc: [..., k], the means; 0 by default.
      scale_diag: [..., k], the standard deviations; 1 by default.
      scale_identity_multiplier: [...], added to them.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    def __init__(
        self, loc: Any = None, scale_diag: Any = None, scale_identity_multiplier: Any = None,
        validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:  # fmt: skip
        given = {key: value for key, value in locals().items() if key != "self"}
        if scale_diag is None and scale_identity_multiplier is None:
            scale_diag = ones_like(loc)
        scale = 0.0 if scale_diag is None else scale_diag
        if scale_identity_multiplier is not None:
            scale = scale + scale_identity_multiplier * ones_like(
                loc if scale_diag is None else scale
            )
        normal = Normal(0.0 * scale if loc is None else loc, scale, validate_args, allow_nan_stats)
        super().__init__(normal, 1, validate_args, name)
        self._parameters = given

    @property
    def loc(self) -> Tensor:
        """The means."""
        return self._inner.loc  # type: ignore[attr-defined]

    def _covariance(self) -> Any:
        return matrix_diag(self._variance())


@RegisterKL(Independent, Independent)
def _independent(a: Independent, b: Independent, name: str | None = None) -> Any:
    return a._over_event(kl_divergence(a.distribution, b.distribution))


class Poisson(Distribution):
    """The Poisson distribution, of how often something happens.

    Args:
      rate: the mean; or `log_rate`, its logarithm.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _reparameterization_type = NOT_REPARAMETERIZED
    _positive = ("rate",)
    rate: Tensor

    def __init__(
        self, rate: Any = None, log_rate: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Poisson",
    ) -> None:  # fmt: skip
        if (rate is None) == (log_rate is None):
            raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
        rate = exp(log_rate) if rate is None else rate
        self._start(locals(), "rate")

    def _sample_n(self, n: Any, seed: Any) -> Any:
        return random_poisson(self.rate, [n], self._dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        return xlogy(x, self.rate) - self.rate - lgamma(x + 1.0)

    def _mean(self) -> Any:
        return self.rate

    def _variance(self) -> Any:
        return self.rate

    def _mode(self) -> Any:
        return floor(self.rate)


class RelaxedOneHotCategorical(Distribution):
    """A class as a vector that is nearly one-hot, through which gradients flow (Gumbel-softmax).

    Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax" (2016).

    Args:
      temperature: how soft; towards 0 the draws become one-hot.
      logits: [..., k]; or `probs`.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _event_rank = 1
    logits: Tensor
    temperature: Tensor

    def __init__(
        self, temperature: Any, logits: Any = None, probs: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "RelaxedOneHotCategorical",
    ) -> None:  # fmt: skip
        if (logits is None) == (probs is None):
            raise ValueError("Must pass probs or logits, but not both.")
        logits = log(probs) if logits is None else logits
        self._start(locals(), "temperature", "logits")
        self._parts = ("logits",)

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return softmax(self.logits)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = concat([[n], shape_of(self.logits)], 0)
        tiny = np.finfo(self._dtype.as_numpy_dtype).tiny
        gumbel = -log(-log(random_uniform(shape, tiny, 1.0, self._dtype, seed)))
        return softmax((gumbel + self.logits) / self.temperature)

    def _log_prob(self, x: Any) -> Any:
        k = cast(shape_of(self.logits)[-1], self._dtype)
        t = self.temperature
        size = lgamma(k) + (k - 1.0) * log(t)
        scores = log_softmax(self.logits - t * log(x)) - log(x)
        return size + reduce_sum(scores, -1)


class OneHotCategorical(RelaxedOneHotCategorical):
    """A class as a one-hot vector.

    Args:
      logits: [..., k]; or `probs`.
      dtype: accepted; the draws are of the logits' type.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _reparameterization_type = NOT_REPARAMETERIZED

    def __init__(
        self, logits: Any = None, probs: Any = None, dtype: Any = None,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "OneHotCategorical",
    ) -> None:  # fmt: skip
        super().__init__(1.0, logits, probs, validate_args, allow_nan_stats, name)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        soft = super()._sample_n(n, seed)
        return cast(equal(soft, _largest(soft)), self._dtype)

    def _log_prob(self, x: Any) -> Any:
        return reduce_sum(x * log_softmax(self.logits), -1)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self.logits) * self.probs, -1)

    def _mean(self) -> Any:
        return self.probs

    def _mode(self) -> Any:
        return cast(equal(self.logits, _largest(self.logits)), self._dtype)


def _largest(x: Any) -> Any:
    return reduce_max(x, -1, keepdims=True)


def softplus_inverse(x: Any, name: str | None = None) -> Any:
    """The number whose softplus is x."""
    return x + log(-expm1(-x))

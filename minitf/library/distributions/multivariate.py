"""More distributions, which `tf.contrib.distributions` has: of vectors, counts, relaxed classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import log_softmax, softmax, softplus
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import one_hot, ones_like, zeros, zeros_like
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, where_v2
from minitf.core.ops.math import abs, ceil, exp, expm1, floor, log, maximum, minimum, square
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_logsumexp, reduce_max, reduce_prod, reduce_sum
from minitf.library.distributions.base import (
    NOT_REPARAMETERIZED,
    Distribution,
    RegisterKL,
    family,
    kl_divergence,
    through,
)
from minitf.library.distributions.continuous import Normal
from minitf.library.numeric.diagonals import matrix_diag
from minitf.library.numeric.gamma_functions import igammac, lgamma
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


MultivariateNormalDiagWithSoftplusScale = through(
    "MultivariateNormalDiagWithSoftplusScale", MultivariateNormalDiag, scale_diag=softplus
)


@RegisterKL(Independent, Independent)
def _independent(a: Independent, b: Independent, name: str | None = None) -> Any:
    return a._over_event(kl_divergence(a.distribution, b.distribution))


def _poisson(d: Any, given: dict[str, Any], names: Sequence[str]) -> None:
    if (given["rate"] is None) == (given["log_rate"] is None):
        raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
    rate = exp(given["log_rate"]) if given["rate"] is None else given["rate"]
    d._start({**given, "rate": rate}, "rate")
    d._parameters = given


Poisson = family(
    "Poisson", "The Poisson distribution, of how often something happens.",
    "rate=None log_rate=None", begin=_poisson, positive=("rate",),
    sample_n=lambda d, n, seed: random_poisson(d.rate, [n], d.dtype, seed),
    log_prob=lambda d, x: xlogy(x, d.rate) - d.rate - lgamma(x + 1.0),
    cdf=lambda d, x: igammac(*((1.0 + floor(x)) * d._ones(), d.rate * ones_like(x) * d._ones())),
    mean=lambda d: d.rate, variance=lambda d: d.rate, mode=lambda d: floor(d.rate),
    reparameterization_type=NOT_REPARAMETERIZED,
)  # fmt: skip


def _near(d: Any, x: Any) -> Any:
    slack = (0.0 if d.atol is None else d.atol) + (0.0 if d.rtol is None else d.rtol) * abs(d.loc)
    return cast(abs(x - d.loc) <= slack, d.dtype)


def _loc(d: Any, given: dict[str, Any], names: Sequence[str]) -> None:
    d._start(given, "loc")
    d.atol, d.rtol = given["atol"], given["rtol"]


_FIXED: dict[str, Any] = {
    "begin": _loc, "mean": lambda d: d.loc, "mode": lambda d: d.loc,
    "variance": lambda d: zeros_like(d.loc), "entropy": lambda d: zeros(d.batch_shape, d.dtype),
    "sample_n": lambda d, n, seed: d.loc + zeros(concat([[n], shape_of(d.loc)], 0), d.dtype),
}  # fmt: skip
Deterministic = family(
    "Deterministic", "One number, always; `atol` and `rtol` say what is taken for it.",
    "loc atol=None rtol=None", **_FIXED, prob=_near,
    cdf=lambda d, x: cast(x >= d.loc, d.dtype),
)  # fmt: skip
VectorDeterministic = family(
    "VectorDeterministic", "One vector, always; see `Deterministic`.", "loc atol=None rtol=None",
    **_FIXED, event_rank=1, prob=lambda d, x: reduce_prod(_near(d, x), -1),
)  # fmt: skip


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
        return softmax(self._scores(n, seed))

    def _scores(self, n: Any, seed: Any) -> Any:
        shape = concat([[n], shape_of(self.logits)], 0)
        tiny = np.finfo(self._dtype.as_numpy_dtype).tiny
        gumbel = -log(-log(random_uniform(shape, tiny, 1.0, self._dtype, seed)))
        return (gumbel + self.logits) / self.temperature

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


ExpRelaxedOneHotCategorical = family(
    "ExpRelaxedOneHotCategorical", "The logarithm of draws of `RelaxedOneHotCategorical`.",
    "temperature logits=None probs=None", RelaxedOneHotCategorical,
    begin=lambda d, given, names: RelaxedOneHotCategorical.__init__(d, **given),
    sample_n=lambda d, n, seed: log_softmax(d._scores(n, seed)),
    log_prob=lambda d, x: RelaxedOneHotCategorical._log_prob(d, exp(x)) + reduce_sum(x, -1),
)  # fmt: skip


def _largest(x: Any) -> Any:
    return reduce_max(x, -1, keepdims=True)


# ---- of other distributions ----------------------------------------------------------------------


class OfOthers(Distribution):
    """A distribution that begins with draws of another one."""

    _reparameterization_type = NOT_REPARAMETERIZED

    def _around(self, given: dict[str, Any], first: Distribution) -> None:
        self._start(given)
        self._dtype, self._first = first.dtype, first

    @property
    def batch_shape(self) -> TensorShape:
        return self._first.batch_shape

    @property
    def event_shape(self) -> TensorShape:
        return self._first.event_shape


class Mixture(OfOthers):
    """Draws of one of several distributions, which a class number chooses.

    Args:
      cat: a `Categorical`, of as many classes.
      components: a list of distributions, with one batch shape and one event shape.
      validate_args, allow_nan_stats, name: see `Normal`.
      use_static_graph: accepted.
    """

    def __init__(
        self, cat: Any, components: Sequence[Distribution], validate_args: bool = False,
        allow_nan_stats: bool = True, use_static_graph: bool = False, name: str = "Mixture",
    ) -> None:  # fmt: skip
        if not components or len(components) != cat.logits.shape[-1].value:
            raise ValueError("components must be a non-empty list, one for each class of cat")
        self._around(locals(), components[0])
        self.cat, self.components = cat, list(components)

    def _each(self, what: str, *args: Any, rank: int = 0) -> Any:
        """Numbers or draws of all components, in a new axis before the last `rank` ones."""
        return stack([getattr(each, what)(*args) for each in self.components], -1 - rank)

    def _over(self, weights: Any, values: Any, rank: int) -> Any:
        weights = reshape(weights, concat([shape_of(weights), [1] * rank], 0))
        kept = where_v2(equal(weights, 0.0), zeros_like(values), weights * values)
        return reduce_sum(kept, -1 - rank)

    def _rank(self) -> int:
        return self.event_shape.ndims or 0

    def _log_prob(self, x: Any) -> Any:
        return reduce_logsumexp(self._each("log_prob", x) + log_softmax(self.cat.logits), -1)

    def _cdf(self, x: Any) -> Any:
        return reduce_sum(self._each("cdf", x) * self.cat.probs, -1)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        draws = self._each("sample", n, seed, rank=self._rank())
        chosen = self.cat.sample(n, None if seed is None else seed + 1)
        weights = one_hot(chosen, self.cat.event_size, dtype=self._dtype)
        return self._over(weights, draws, self._rank())

    def _mean(self) -> Any:
        rank = self._rank()
        return self._over(self.cat.probs, self._each("mean", rank=rank), rank)

    def _variance(self) -> Any:
        rank = self._rank()
        squares = square(self._each("mean", rank=rank)) + self._each("variance", rank=rank)
        return self._over(self.cat.probs, squares, rank) - square(self._mean())

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Any:
        """The mean entropy of the components, which is at most that of the mixture."""
        with self._scope(name):
            return reduce_sum(self.cat.probs * self._each("entropy"), -1)


class MixtureSameFamily(Mixture):
    """A `Mixture` whose components are the last axis of one distribution's batch.

    Args:
      mixture_distribution: a `Categorical`.
      components_distribution: of batch shape [..., k].
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    def __init__(
        self, mixture_distribution: Any, components_distribution: Distribution,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "MixtureSameFamily",
    ) -> None:  # fmt: skip
        self._around(locals(), components_distribution)
        self.cat = self.mixture_distribution = mixture_distribution
        self.components_distribution = components_distribution

    @property
    def batch_shape(self) -> TensorShape:
        return self._first.batch_shape[:-1]

    def _each(self, what: str, *args: Any, rank: int = 0) -> Any:
        if what in ("log_prob", "cdf"):
            args = (expand_dims(args[0], -1 - self._rank()),)
        return getattr(self._first, what)(*args)


class QuantizedDistribution(OfOthers):
    """Draws of a distribution, rounded up to whole numbers.

    Args:
      distribution: of real numbers.
      low, high: the least and the greatest number; None for any.
      validate_args, name: see `Normal`.
    """

    def __init__(
        self, distribution: Distribution, low: Any = None, high: Any = None,
        validate_args: bool = False, name: str = "QuantizedDistribution",
    ) -> None:  # fmt: skip
        self._around(locals(), distribution)
        self.distribution, self._low, self._high = distribution, low, high

    def _sample_n(self, n: Any, seed: Any) -> Any:
        drawn = ceil(self._first.sample(n, seed))
        drawn = drawn if self._low is None else maximum(drawn, self._low)
        return drawn if self._high is None else minimum(drawn, self._high)

    def _bounded(self, y: Any, below: Any, inside: Any, above: Any) -> Any:
        """`inside`, where y is between the bounds; there and beyond what it is else."""
        y = floor(y)
        found = inside if self._high is None else where_v2(y >= self._high, above, inside)
        return found if self._low is None else where_v2(y < self._low, below, found)

    def _cdf(self, y: Any) -> Any:
        return self._bounded(y, 0.0, self._first.cdf(floor(y)), 1.0)

    def _survival_function(self, y: Any) -> Any:
        return self._bounded(y, 1.0, self._first.survival_function(floor(y)), 0.0)

    def _prob(self, y: Any) -> Any:
        # the tail in which the smaller of both is, so that little is lost in the difference
        right = self._survival_function(y - 1.0), self._survival_function(y)
        left = self._cdf(y), self._cdf(y - 1.0)
        return where_v2(right[1] < left[0], right[0] - right[1], left[0] - left[1])


def softplus_inverse(x: Any, name: str | None = None) -> Any:
    """The number whose softplus is x."""
    return x + log(-expm1(-x))

"""Distributions of whole numbers: Bernoulli, categorical, multinomial and kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import log_softmax, softmax, softplus
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import one_hot, ones_like, zeros_like
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.array_slicing import sequence_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where_v2
from minitf.core.ops.losses import (
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.core.ops.math import exp, floor, log, log1p, maximum, sigmoid, sqrt
from minitf.core.ops.random import multinomial, random_uniform
from minitf.core.ops.reductions import argmax, reduce_sum
from minitf.library.checks.assertions import assert_less_equal, assert_non_negative
from minitf.library.distributions.base import NOT_REPARAMETERIZED, Distribution, RegisterKL, family
from minitf.library.graph_tools.functional import map_fn
from minitf.library.numeric.diagonals import matrix_set_diag
from minitf.library.numeric.gamma_functions import betainc, lbeta, lgamma
from minitf.library.numeric.products import xlogy
from minitf.library.numeric.random_distributions import random_gamma, random_poisson


class _OfChances(Distribution):
    """A distribution that is given by probabilities, or by their logits."""

    _reparameterization_type = NOT_REPARAMETERIZED
    _several = True
    logits: Tensor
    probs: Tensor

    def _take(self, given: dict[str, Any], dtype: Any, *more: str) -> None:
        logits, probs = given["logits"], given["probs"]
        self._start(given, *more)
        kind = "logits" if probs is None else "probs"
        if (logits is None) == (probs is None):
            raise ValueError("Must pass probs or logits, but not both.")
        with name_scope(self._name):
            tensor = convert_to_tensor(given[kind], name=kind)
            if kind == "logits":
                self.logits = tensor
                self.probs = softmax(tensor) if self._several else sigmoid(tensor)
            else:
                checks = []
                if self._validate_args:
                    checks = [
                        assert_non_negative(tensor),
                        assert_less_equal(tensor, ones_like(tensor)),
                    ]
                with control_dependencies(checks):
                    self.probs = identity(tensor, name="probs")
                back = log(self.probs)
                self.logits = back if self._several else back - log1p(-self.probs)
        self._dtype = self.logits.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        self._parts = (*more, "probs")

    def _begin(self, given: dict[str, Any], names: Sequence[str]) -> None:
        self._take(given, None, *[name for name in names if name not in ("logits", "probs")])


class Bernoulli(_OfChances):
    """The Bernoulli distribution, of 0 and 1.

    Args:
      logits: the log-odds of 1.
      probs: the probability of 1; one of both is given.
      dtype: of the draws.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _several = False

    def __init__(
        self, logits: Any = None, probs: Any = None, dtype: Any = dtypes.int32,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Bernoulli",
    ) -> None:  # fmt: skip
        self._take(locals(), dtype)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = self._samples(n)
        uniform = random_uniform(shape, dtype=self.probs.dtype, seed=seed)
        return cast(uniform < self.probs, self._dtype)

    def _log_prob(self, event: Any) -> Any:
        event = cast(event, self.logits.dtype)
        unit = ones_like(event) * ones_like(self.logits)
        return -sigmoid_cross_entropy_with_logits(labels=event * unit, logits=self.logits * unit)

    def _entropy(self) -> Any:
        return -self.logits * (sigmoid(self.logits) - 1.0) + softplus(-self.logits)

    def _mean(self) -> Any:
        return identity(self.probs)

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Any:
        return cast(self.probs > 0.5, self._dtype)


class Categorical(_OfChances):
    """The distribution of a class number.

    Args:
      logits: [..., k].
      probs: [..., k]; one of both is given.
      dtype: of the draws.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _event_rank = 1

    def __init__(
        self, logits: Any = None, probs: Any = None, dtype: Any = dtypes.int32,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Categorical",
    ) -> None:  # fmt: skip
        self._take(locals(), dtype)

    @property
    def event_shape(self) -> TensorShape:
        return TensorShape([])

    @property
    def event_size(self) -> Any:
        """How many classes there are."""
        known = self.logits.shape[-1].value
        return shape_of(self.logits)[-1] if known is None else convert_to_tensor(known)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        flat = reshape(self.logits, [-1, self.logits.shape[-1].value or self.event_size])
        kind = dtypes.int64 if self._dtype == dtypes.int64 else dtypes.int32
        draws = transpose(multinomial(flat, n, seed=seed, output_dtype=kind))
        shape = self._samples(n)
        return cast(reshape(draws, shape), self._dtype)

    def _both(self, k: Any) -> tuple[Any, Any]:
        """The class numbers and the logits, each for all batches and samples."""
        k = cast(k, dtypes.int32)
        logits = self.logits + reduce_sum(cast(k, self.logits.dtype) * 0, [])[..., None]
        return k + cast(logits[..., 0] * 0, dtypes.int32), logits

    def _log_prob(self, k: Any) -> Any:
        k, logits = self._both(k)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k: Any) -> Any:
        k, logits = self._both(k)
        below = sequence_mask(k, cast(self.event_size, dtypes.int32))
        probs = softmax(logits)
        return reduce_sum(where_v2(below, probs, probs * 0), -1)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self.logits) * self.probs, -1)

    def _mode(self) -> Any:
        return cast(argmax(self.logits, axis=-1), self._dtype)


def _log_combinations(total: Any, counts: Any) -> Any:
    """The logarithm of in how many orders the draws of `counts` may come."""
    return lgamma(total + 1.0) - reduce_sum(lgamma(counts + 1.0), -1)


class Multinomial(_OfChances):
    """How often each class comes in several draws.

    Args:
      total_count: how many draws.
      logits: [..., k].
      probs: [..., k]; one of both is given.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _event_rank = 1
    total_count: Tensor

    def __init__(
        self, total_count: Any, logits: Any = None, probs: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Multinomial",
    ) -> None:  # fmt: skip
        self._take(locals(), None, "total_count")
        self._parts = ("_rows",)
        self._rows = self.probs * ones_like(self.total_count)[..., None]

    def _sample_n(self, n: Any, seed: Any) -> Any:
        k = self.event_shape_tensor()[0]
        each = cast(self.total_count * self._ones(), dtypes.int32)
        logits = self.logits * ones_like(self._rows)

        def draw(row: tuple) -> Any:
            drawn = multinomial(row[0][None, :], row[1], seed)
            return reduce_sum(one_hot(reshape(drawn, [n, -1]), depth=k, dtype=self._dtype), -2)

        rows = (reshape(logits, [-1, k]), reshape(each * n, [-1]))
        drawn = transpose(map_fn(draw, rows, dtype=self._dtype), [1, 0, 2])
        return reshape(drawn, concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _log_prob(self, counts: Any) -> Any:
        chances = reduce_sum(counts * log_softmax(self.logits), -1)
        return chances + _log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return self.total_count[..., None] * self.probs

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._rows)

    def _covariance(self) -> Any:
        outer = self._mean()[..., None] * self._rows[..., None, :]
        return matrix_set_diag(-outer, self._variance())


class DirichletMultinomial(Distribution):
    """How often each class comes in several draws, whose chances are drawn from a Dirichlet first.

    Args:
      total_count: how many draws.
      concentration: [..., k], of the `Dirichlet`.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _reparameterization_type = NOT_REPARAMETERIZED
    _positive = ("concentration",)
    _event_rank = 1
    total_count: Tensor
    concentration: Tensor

    def __init__(
        self, total_count: Any, concentration: Any, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "DirichletMultinomial",
    ) -> None:  # fmt: skip
        self._start(locals(), "total_count", "concentration")
        self.total_concentration = reduce_sum(self.concentration, -1)
        self._parts = ("_rows",)
        self._rows = self.concentration * ones_like(self.total_count)[..., None]

    def _sample_n(self, n: Any, seed: Any) -> Any:
        k = self.event_shape_tensor()[0]
        other = None if seed is None else seed + 1
        chances = random_gamma([n], self.concentration, dtype=self._dtype, seed=seed)
        count = cast(self.total_count, dtypes.int32)
        draws = multinomial(reshape(log(chances), [-1, k]), count, seed=other)
        counts = reduce_sum(one_hot(draws, depth=k, dtype=self._dtype), -2)
        return reshape(counts, concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _log_prob(self, counts: Any) -> Any:
        chances = lbeta(self.concentration + counts) - lbeta(self.concentration)
        return chances + _log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return (
            self.total_count[..., None] * self.concentration / self.total_concentration[..., None]
        )

    def _spread(self) -> Any:
        total = self.total_concentration[..., None]
        return sqrt((1.0 + total / self.total_count[..., None]) / (1.0 + total))

    def _variance(self) -> Any:
        spread = self._spread()
        x = spread * self._mean()
        return x * (self.total_count[..., None] * spread - x)

    def _covariance(self) -> Any:
        x = self._spread() * self._mean()
        return matrix_set_diag(-x[..., None] * x[..., None, :], self._variance())


Binomial = family(
    "Binomial", "How often 1 comes in `total_count` draws of a `Bernoulli`.",
    "total_count logits=None probs=None", _OfChances, several=False,
    sample_n=lambda d, n, seed: reduce_sum(Multinomial(d.total_count * d._ones(), probs=stack(
        [d.probs * d._ones(), (1.0 - d.probs) * d._ones()], -1)).sample(n, seed)[..., :1], -1),
    log_prob=lambda d, k: (
        -lbeta(stack([1.0 + k + 0.0 * d.probs, 1.0 + d.total_count - k + 0.0 * d.probs], -1))
        - log1p(d.total_count) + xlogy(k, d.probs) + xlogy(d.total_count - k, 1.0 - d.probs)
    ),
    cdf=lambda d, k: where_v2(k >= d.total_count, 1.0, betainc(
        *(maximum(d.total_count - floor(k), 1e-30) * d._ones(), (floor(k) + 1.0) * d._ones()),
        (1.0 - d.probs) * ones_like(k) * d._ones())),
    mean=lambda d: d.total_count * d.probs,
    variance=lambda d: d.total_count * d.probs * (1.0 - d.probs),
    mode=lambda d: floor((1.0 + d.total_count) * d.probs),
)  # fmt: skip
NegativeBinomial = family(
    "NegativeBinomial", "How often 1 comes before 0 came `total_count` times.",
    "total_count logits=None probs=None", _OfChances, several=False,
    sample_n=lambda d, n, seed: random_poisson(
        random_gamma([n], d.total_count * d._ones(), exp(-d.logits), d._dtype, seed), [], d._dtype,
        None if seed is None else seed + 1),
    log_prob=lambda d, k: (
        lgamma(d.total_count + k) - lgamma(1.0 + k) - lgamma(d.total_count)
        - d.total_count * softplus(d.logits) - k * softplus(-d.logits)
    ),
    mean=lambda d: d.total_count * exp(d.logits),
    variance=lambda d: d.total_count * exp(d.logits) / sigmoid(-d.logits),
    mode=lambda d: where_v2(d.total_count > 1.0, floor((d.total_count - 1.0) * exp(d.logits)), 0.0),
)  # fmt: skip
Geometric = family(
    "Geometric", "How often 0 comes before the first 1 of a `Bernoulli`.",
    "logits=None probs=None", _OfChances, several=False,
    log_prob=lambda d, k: xlogy(k, 1.0 - d.probs) + log(d.probs),
    cdf=lambda d, k: where_v2(k < 0.0, 0.0, 1.0 - (1.0 - d.probs) ** (1.0 + floor(k))),
    quantile=lambda d, p: floor(log1p(-p) / log1p(-d.probs)),
    entropy=lambda d: softplus(d.logits) / d.probs - d.logits,
    mean=lambda d: exp(-d.logits), variance=lambda d: exp(-d.logits) / d.probs,
    mode=lambda d: zeros_like(d.probs),
)  # fmt: skip


@RegisterKL(Bernoulli, Bernoulli)
def _bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    zero = softplus(b.logits) - softplus(a.logits)
    one = softplus(-b.logits) - softplus(-a.logits)
    return sigmoid(a.logits) * one + sigmoid(-a.logits) * zero


@RegisterKL(Categorical, Categorical)
def _categorical(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    change = log_softmax(a.logits) - log_softmax(b.logits)
    return reduce_sum(softmax(a.logits) * change, -1)

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
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.array_slicing import sequence_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where_v2
from minitf.core.ops.losses import (
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.core.ops.math import log, log1p, sigmoid
from minitf.core.ops.random import multinomial, random_uniform
from minitf.core.ops.reductions import argmax, reduce_sum
from minitf.library.checks.assertions import assert_less_equal, assert_non_negative
from minitf.library.distributions.base import NOT_REPARAMETERIZED, Distribution, RegisterKL


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
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
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
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
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


@RegisterKL(Bernoulli, Bernoulli)
def _bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    zero = softplus(b.logits) - softplus(a.logits)
    one = softplus(-b.logits) - softplus(-a.logits)
    return sigmoid(a.logits) * one + sigmoid(-a.logits) * zero


@RegisterKL(Categorical, Categorical)
def _categorical(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    change = log_softmax(a.logits) - log_softmax(b.logits)
    return reduce_sum(softmax(a.logits) * change, -1)

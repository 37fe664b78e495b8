"""Distributions: normal, Bernoulli, categorical; their draws, densities and divergences.

    class Normal(Distribution):
        def _log_prob(self, x): ...          # prob, cross_entropy, ... follow
        def _sample_n(self, n, seed): ...    # [n, *batch]; sample shapes follow

A tensor of samples has the shape [*sample, *batch]: how many were asked for, and one for each of
the parameters' values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.shapes import TensorShape, broadcast_static_shape
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import random
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.examples import named
from minitf.core.ops.math import exp, log, sigmoid, sqrt, square
from minitf.core.ops.reductions import argmax, reduce_prod, reduce_sum
from minitf.library.checks.assertions import (
    assert_less_equal,
    assert_non_negative,
    assert_positive,
    assert_same_float_dtype,
)
from minitf.library.nets import cross_entropy as losses
from minitf.library.nets.activations import log_softmax, softmax, softplus
from minitf.library.numeric.broadcasting import broadcast_dynamic_shape
from minitf.library.numeric.elementwise import log1p
from minitf.library.numeric.random_distributions import multinomial

_HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


#: The name of a formula that a kind may have, and what is done to its result.
_Way = tuple[str, Callable[[Any], Any]]


def _formula(kind: Any, name: str, ways: Sequence[_Way], *args: Any) -> Any:
    """The first of several formulas that a distribution has."""
    for formula, change in ways:
        own = getattr(kind, formula, None)
        if own is not None:
            return change(own(*args))
    raise NotImplementedError(f"{name} is not implemented: {type(kind).__name__}")


def _of_value(function_name: str, sentence: str, *others: _Way) -> Any:
    """Makes the method for a formula of a value, which may be made of others."""
    ways = ((f"_{function_name}", _same), *others)

    def method(self: Distribution, value: Any, name: str = function_name) -> Any:
        with self._scope(name):
            value = convert_to_tensor(value, name="value", preferred_dtype=self.dtype)
            return _formula(self, function_name, ways, value)

    return named(method, function_name, sentence)


def _of_itself(function_name: str, sentence: str, *others: _Way) -> Any:
    """Makes the method for a number that describes a distribution."""
    ways = ((f"_{function_name}", _same), *others)

    def method(self: Distribution, name: str = function_name) -> Any:
        with self._scope(name):
            return _formula(self, function_name, ways)

    return named(method, function_name, sentence)


def _same(value: Any) -> Any:
    return value


class Distribution:
    """A batch of distributions of one kind, whose draws are numbers.

    Example:
      >>> normal = tf.distributions.Normal(loc=[0.0, 1.0], scale=2.0)
      >>> normal.sample(3).shape.as_list()
      [3, 2]
    """

    #: the parameters that must be positive
    _positive: Sequence[str] = ()
    #: how many of the last axes of the parameters belong to one distribution
    _own_axes = 0

    def _start(self, given: dict[str, Any], *names: str) -> None:
        """Takes the arguments of a constructor; those in `names` become tensors of one type."""
        self.parameters = {k: v for k, v in given.items() if k not in ("self", "__class__")}
        self.validate_args, self.allow_nan_stats = given["validate_args"], given["allow_nan_stats"]
        self._parts = names
        with name_scope(given["name"]) as self.name:
            made = {name: convert_to_tensor(given[name], name=name) for name in names}
            self.dtype = assert_same_float_dtype(list(made.values())) if made else dtypes.float32
            checked = self._positive if self.validate_args else ()
            with control_dependencies([assert_positive(made[name]) for name in checked]):
                for name, tensor in made.items():
                    setattr(self, name, identity(tensor, name=name))

    def _tensors(self) -> list[Tensor]:
        return [getattr(self, name) for name in self._parts]

    @property
    def batch_shape(self) -> TensorShape:
        """How many distributions there are, as far as it is known."""
        shape = TensorShape([])
        for tensor in self._tensors():
            own = tensor.shape
            if own.ndims is None:
                return own
            shape = broadcast_static_shape(shape, own[: own.ndims - self._own_axes])
        return shape

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one draw: a number."""
        return TensorShape([])

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """How many distributions there are, as a vector."""
        with self._scope(name):
            known = self.batch_shape
            if known.is_fully_defined():
                return constant(known.as_list(), dtypes.int32, name="batch_shape")
            shape = constant([], dtypes.int32)
            for tensor in self._tensors():
                own = shape_of(tensor)[: -self._own_axes or None]
                shape = broadcast_dynamic_shape(shape, own)
            return shape

    @contextmanager
    def _scope(self, name: str) -> Iterator[None]:
        with name_scope(self.name), name_scope(name):
            yield

    def __str__(self) -> str:
        known = "" if self.batch_shape.ndims is None else f", batch_shape={self._shown()}"
        kind = type(self).__name__
        return (
            f'tfp.distributions.{kind}("{self.name}"{known}, event_shape=(), '
            f"dtype={self.dtype.name})"
        )

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' "
            f"batch_shape={self._shown()} event_shape=() dtype={self.dtype.name}>"
        )

    def _shown(self) -> str:
        if self.batch_shape.ndims is None:
            return "<unknown>"
        sizes = ["?" if size is None else str(size) for size in self.batch_shape.as_list()]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Any:
        """Draws: [*sample_shape, *batch_shape].

        Args:
          sample_shape: how many; a number or a vector.
          seed: makes the draws repeatable, see `tf.set_random_seed`.
          name: the name of the scope.
        """
        with self._scope(name):
            wanted: Any = sample_shape
            if not isinstance(wanted, Tensor):
                wanted = np.ravel(np.asarray(wanted, np.int32))
            wanted = convert_to_tensor(wanted, dtypes.int32, name="sample_shape")
            if wanted.shape.ndims != 1:
                wanted = reshape(wanted, [-1])
            fixed = constant_value(wanted)
            count = int(np.prod(fixed)) if fixed is not None else reduce_prod(wanted)
            draws = self._sample_n(count, seed)
            result = reshape(draws, concat([wanted, shape_of(draws)[1:]], 0))
            front = TensorShape(None if fixed is None else [int(size) for size in fixed])
            result.set_shape(front.concatenate(self.batch_shape))
            return result

    def _sample_n(self, n: Any, seed: Any) -> Tensor:
        raise NotImplementedError

    def _samples(self, n: Any) -> Tensor:
        """The shape of n draws."""
        return concat([[n], self.batch_shape_tensor()], 0)

    log_prob = _of_value(
        "log_prob", "The logarithm of the density, or probability, at a value.", ("_prob", log)
    )
    prob = _of_value("prob", "The density, or the probability, at a value.", ("_log_prob", exp))
    entropy = _of_itself("entropy", "The mean of `-log_prob`, in nats.")
    mean = _of_itself("mean", "The mean.")
    variance = _of_itself("variance", "The variance.", ("_stddev", square))
    stddev = _of_itself("stddev", "The standard deviation.", ("_variance", sqrt))
    mode = _of_itself("mode", "The likeliest value.")

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Any:
        """The mean of `-other.log_prob` over draws of this one, in nats."""
        with self._scope(name):
            return kl_divergence(self, other) + self.entropy()

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Any:
        """How far another distribution is from this one, in nats; see `kl_divergence`."""
        with self._scope(name):
            return kl_divergence(self, other)


# ---- of real numbers -----------------------------------------------------------------------------


class Normal(Distribution):
    """The normal distribution.

    Args:
      loc: the mean.
      scale: the standard deviation.
      validate_args: whether to check the parameters while the step runs.
      allow_nan_stats: whether a mean that does not exist is NaN, rather than an error.
      name: the scope of its operations.
    Example:
      >>> sess.run(tf.distributions.Normal(0.0, 1.0).entropy())
      1.4189385
    """

    _positive = ("scale",)
    loc: Tensor
    scale: Tensor

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        self._start(locals(), "loc", "scale")

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _sample_n(self, n: Any, seed: Any) -> Any:
        drawn = random.random_normal(self._samples(n), dtype=self.dtype, seed=seed)
        return drawn * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        return -0.5 * square(self._z(x)) - (_HALF_LOG_TAU + log(self.scale))

    def _entropy(self) -> Any:
        return 0.5 + _HALF_LOG_TAU + log(self.scale * ones_like(self.loc))

    def _mean(self) -> Any:
        return self.loc * ones_like(self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return self.scale * ones_like(self.loc)


# ---- of whole numbers ----------------------------------------------------------------------------


class _OfChances(Distribution):
    """A distribution that is given by probabilities, or by their logits."""

    logits: Tensor
    probs: Tensor

    def _take(self, given: dict[str, Any]) -> None:
        self._start(given)
        kind = "logits" if given["probs"] is None else "probs"
        if (given["logits"] is None) == (kind == "logits"):
            raise ValueError("Must pass probs or logits, but not both.")
        several = self._own_axes == 1
        with name_scope(self.name):
            tensor = convert_to_tensor(given[kind], name=kind)
            if kind == "logits":
                self.logits = tensor
                self.probs = softmax(tensor) if several else sigmoid(tensor)
            else:
                checks = []
                if self.validate_args:
                    ones = ones_like(tensor)
                    checks = [assert_non_negative(tensor), assert_less_equal(tensor, ones)]
                with control_dependencies(checks):
                    self.probs = identity(tensor, name="probs")
                back = log(self.probs)
                self.logits = back if several else back - log1p(-self.probs)
        dtype = given["dtype"]
        self.dtype = self.logits.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        self._parts = ("probs",)


class Bernoulli(_OfChances):
    """The Bernoulli distribution, of 0 and 1.

    Args:
      logits: the log-odds of 1.
      probs: the probability of 1; one of both is given.
      dtype: of the draws.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        self._take(locals())

    def _sample_n(self, n: Any, seed: Any) -> Any:
        drawn = random.random_uniform(self._samples(n), dtype=self.probs.dtype, seed=seed)
        return cast(drawn < self.probs, self.dtype)

    def _log_prob(self, event: Any) -> Any:
        event = cast(event, self.logits.dtype)
        unit = ones_like(event) * ones_like(self.logits)
        return -losses.sigmoid_cross_entropy_with_logits(
            labels=event * unit, logits=self.logits * unit
        )

    def _entropy(self) -> Any:
        return -self.logits * (sigmoid(self.logits) - 1.0) + softplus(-self.logits)

    def _mean(self) -> Any:
        return identity(self.probs)

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Any:
        return cast(self.probs > 0.5, self.dtype)


class Categorical(_OfChances):
    """The distribution of a class number.

    Args:
      logits: [..., k].
      probs: [..., k]; one of both is given.
      dtype: of the draws.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _own_axes = 1

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        self._take(locals())

    @property
    def event_size(self) -> Any:
        """How many classes there are."""
        known = self.logits.shape[-1].value
        return shape_of(self.logits)[-1] if known is None else convert_to_tensor(known)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        flat = reshape(self.logits, [-1, self.logits.shape[-1].value or self.event_size])
        kind = dtypes.int64 if self.dtype == dtypes.int64 else dtypes.int32
        draws = transpose(multinomial(flat, n, seed=seed, output_dtype=kind))
        return cast(reshape(draws, self._samples(n)), self.dtype)

    def _both(self, k: Any) -> tuple[Any, Any]:
        """The class numbers and the logits, each for all batches and samples."""
        k = cast(k, dtypes.int32)
        logits = self.logits + reduce_sum(cast(k, self.logits.dtype) * 0, [])[..., None]
        return k + cast(logits[..., 0] * 0, dtypes.int32), logits

    def _log_prob(self, k: Any) -> Any:
        k, logits = self._both(k)
        return -losses.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self.logits) * self.probs, -1)

    def _mode(self) -> Any:
        return cast(argmax(self.logits, axis=-1), self.dtype)


# ---- divergence ----------------------------------------------------------------------------------


def _between_normals(a: Normal, b: Normal) -> Any:
    ratio = square(a.scale / b.scale)
    return square(a.loc - b.loc) / (2.0 * square(b.scale)) + 0.5 * (ratio - 1.0 - log(ratio))


def _between_bernoullis(a: Bernoulli, b: Bernoulli) -> Any:
    zero = softplus(b.logits) - softplus(a.logits)
    one = softplus(-b.logits) - softplus(-a.logits)
    return sigmoid(a.logits) * one + sigmoid(-a.logits) * zero


def _between_categoricals(a: Categorical, b: Categorical) -> Any:
    change = log_softmax(a.logits) - log_softmax(b.logits)
    return reduce_sum(softmax(a.logits) * change, -1)


_DIVERGENCES: dict[type, Callable[[Any, Any], Any]] = {
    Normal: _between_normals,
    Bernoulli: _between_bernoullis,
    Categorical: _between_categoricals,
}


def kl_divergence(
    distribution_a: Distribution,
    distribution_b: Distribution,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Any:
    """The mean over draws of a of `a.log_prob - b.log_prob`, in nats.

    Args:
      distribution_a, distribution_b: the two, of one kind.
      allow_nan_stats: accepted; the formulas give no NaN.
      name: the name of the scope.
    Raises:
      NotImplementedError: when there is no formula for the two kinds.
    """
    for kind, divergence in _DIVERGENCES.items():
        if isinstance(distribution_a, kind) and isinstance(distribution_b, kind):
            with name_scope(name, "KullbackLeibler"):
                return divergence(distribution_a, distribution_b)
    raise NotImplementedError(
        "No KL(distribution_a || distribution_b) registered for distribution_a type "
        f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
    )

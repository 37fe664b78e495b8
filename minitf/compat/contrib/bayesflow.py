"""`tf.contrib.bayesflow`: tensors that are drawn from distributions, and gradients through them.

    distribution ──draw──> StochasticTensor ──> ... ──> loss
         ^                                               │
         └── gradient through the draw, where it can be written as a function of the parameters;
             else of log p(draw) * loss, the score function (Williams, "REINFORCE", 1992)

`surrogate_loss` adds the terms of the second kind (Schulman, Heess, Weber and Abbeel, "Gradient
Estimation Using Stochastic Computation Graphs", 2015).
"""

from __future__ import annotations

import abc
import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.compat.contrib.graph_editor import get_backward_walk_ops
from minitf.core.graph import stacks
from minitf.core.graph.convert import (
    constant,
    constant_value,
    convert_to_tensor,
    register_tensor_conversion_function,
)
from minitf.core.graph.dtypes import DType, as_dtype
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import identity, shape, stop_gradient
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.math import add_n, exp, floordiv, floormod, log, log1p
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_logsumexp, reduce_mean, reduce_sum
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.distributions.base import FULLY_REPARAMETERIZED, Distribution
from minitf.library.numeric.sorting import argsort
from minitf.library.optimizers.moving_averages import assign_moving_average

STOCHASTIC_TENSOR_COLLECTION = "_stochastic_tensor_collection_"

# ---- what stands for a distribution --------------------------------------------------------


class _ValueType:
    """What a `StochasticTensor` is worth; `stop_gradient`: whether gradients end there."""

    def __init__(self, stop_gradient: bool = False):
        self.stop_gradient = stop_gradient


class MeanValue(_ValueType):
    """The mean of the distribution."""


class SampleValue(_ValueType):
    """A draw, or several along new first axes.

    Args:
      shape: how many, as of `Distribution.sample`.
      stop_gradient: whether gradients end at the draw.
    """

    def __init__(self, shape: Any = (), stop_gradient: bool = False):
        super().__init__(stop_gradient)
        self.shape = shape


class NoValueTypeSetError(ValueError):
    """`get_current_value_type` outside of any `value_type`."""


class _Current(threading.local):
    def __init__(self) -> None:
        self.stack: list[_ValueType] = []


_current = _Current()


@contextlib.contextmanager
def value_type(dist_value_type: _ValueType) -> Iterator[None]:
    """What stochastic tensors that are made within are worth.

    Args:
      dist_value_type: a `MeanValue` or a `SampleValue`.
    Raises:
      TypeError: when it is something else.
    """
    if not isinstance(dist_value_type, _ValueType):
        raise TypeError("dist_value_type must be a Distribution Value Type")
    _current.stack.append(dist_value_type)
    try:
        yield
    finally:
        _current.stack.pop()


def get_current_value_type() -> _ValueType:
    """What the innermost `value_type` says.

    Raises:
      NoValueTypeSetError: when there is none.
    """
    if not _current.stack:
        raise NoValueTypeSetError(
            "No value type currently set for this thread. Did you forget to wrap 'with "
            "stochastic_graph.value_type(...)'?"
        )
    return _current.stack[-1]


# ---- estimators of gradients ---------------------------------------------------------------


def score_function(
    stochastic_tensor: StochasticTensor, value: Tensor, loss: Tensor, baseline: Any = None,
    name: str = "ScoreFunction",
) -> Tensor:  # fmt: skip
    """A term whose gradient is that of the expected loss: log p(value) * (loss - baseline).

    Args:
      stochastic_tensor: what was drawn from.
      value: what was drawn.
      loss: what came of it.
      baseline: what is expected of it; 0 by default. It changes the variance, not the mean.
      name: the name of the scope.
    """
    with name_scope(name, values=[value, loss, baseline]):
        advantage = stop_gradient(loss if baseline is None else loss - baseline)
        return stochastic_tensor.distribution.log_prob(value) * advantage


def get_score_function_with_constant_baseline(
    baseline: Any, name: str = "ScoreFunction"
) -> Callable[..., Tensor]:
    """`score_function` with a number as its baseline."""
    return functools.partial(score_function, baseline=baseline, name=name)


def get_score_function_with_baseline(
    baseline_fn: Callable[..., Any] | None = None, name: str = "ScoreFunction"
) -> Callable[..., Tensor]:
    """`score_function` with `baseline_fn(stochastic_tensor, loss)`; a moving mean by default."""
    return get_score_function_with_advantage(
        lambda tensor, loss: loss - (baseline_fn or get_mean_baseline())(tensor, loss), name
    )


def get_score_function_with_advantage(
    advantage_fn: Callable[..., Any] | None = None, name: str = "ScoreFunctionWithAdvantage"
) -> Callable[..., Tensor]:
    """`score_function` of `advantage_fn(stochastic_tensor, loss)` in place of the loss."""
    advantage_fn = advantage_fn or (lambda tensor, loss: loss - get_mean_baseline()(tensor, loss))

    def with_advantage(tensor: StochasticTensor, value: Tensor, loss: Tensor) -> Tensor:
        with name_scope(name, values=[value, loss]):
            return score_function(tensor, value, advantage_fn(tensor, loss))

    return with_advantage


def get_mean_baseline(
    ema_decay: float = 0.99, name: str | None = None
) -> Callable[[StochasticTensor, Tensor], Tensor]:
    """A baseline: the moving mean of the losses that a stochastic tensor saw."""

    def mean_baseline(_: StochasticTensor, loss: Tensor) -> Tensor:
        with variable_scope(name, default_name="MeanBaseline"):
            mean = reduce_mean(loss)
            kept = get_variable("mean", [], mean.dtype, zeros_initializer(), trainable=False)
            return assign_moving_average(kept, mean, ema_decay)

    return mean_baseline


# ---- stochastic tensors --------------------------------------------------------------------


class BaseStochasticTensor(abc.ABC):
    """Something that is drawn, and stands where a tensor is wanted."""

    def __init__(self) -> None:
        stacks.add_to_collection(STOCHASTIC_TENSOR_COLLECTION, self)

    @abc.abstractmethod
    def value(self, name: str = "value") -> Tensor:
        """The tensor."""

    @abc.abstractmethod
    def loss(self, sample_loss: Tensor) -> Tensor | None:
        """What to add to `sample_loss`, which depends on it, so that its gradient is right."""


class StochasticTensor(BaseStochasticTensor):
    """A draw from a distribution, or its mean.

    Args:
      dist: the distribution.
      name: the name of the scope.
      dist_value_type: a draw or the mean; what `value_type` says by default, or one draw.
      loss_fn: `(stochastic_tensor, value, loss)`, how its gradient is estimated where it cannot
        go through the draw; None for not at all.
    Raises:
      TypeError: when arguments are of another kind.
    """

    def __init__(
        self, dist: Distribution, name: str = "StochasticTensor",
        dist_value_type: _ValueType | None = None,
        loss_fn: Callable[..., Any] | None = score_function,
    ):  # fmt: skip
        _check_distribution(dist)
        if dist_value_type is not None and not isinstance(dist_value_type, _ValueType):
            raise TypeError("dist_value_type must be a Distribution Value Type")
        if loss_fn is not None and not callable(loss_fn):
            raise TypeError("loss_fn must be callable")
        current = _current.stack[-1] if _current.stack else SampleValue()
        self.value_type = dist_value_type or current
        self._loss_fn = loss_fn
        with name_scope(name) as scope:
            self.name = scope
            self.distribution = dist
            self._value = self._drawn()
        super().__init__()

    def _drawn(self) -> Tensor:
        kind, dist = self.value_type, self.distribution
        if isinstance(kind, SampleValue):
            value = dist.sample(kind.shape)
            goes_through = dist.reparameterization_type == FULLY_REPARAMETERIZED
        else:
            value, goes_through = dist.mean(), True
        return value if goes_through and not kind.stop_gradient else stop_gradient(value)

    @property
    def graph(self) -> Graph:
        """Its graph."""
        return self._value.graph

    @property
    def dtype(self) -> DType:
        """Its type."""
        return self.distribution.dtype

    def entropy(self, name: str = "entropy") -> Tensor:
        """The entropy of its distribution."""
        return self.distribution.entropy(name=name)

    def mean(self, name: str = "mean") -> Tensor:
        """The mean of its distribution."""
        return self.distribution.mean(name=name)

    def value(self, name: str = "value") -> Tensor:
        """The draw, the same at each call."""
        return self._value

    def loss(self, final_loss: Tensor, name: str = "Loss") -> Tensor | None:
        """What to add to `final_loss`; None where gradients go through the draw."""
        stops, through = self.value_type.stop_gradient, self.distribution.reparameterization_type
        if self._loss_fn is None or (through == FULLY_REPARAMETERIZED and not stops):
            return None
        if not stops and not isinstance(self.value_type, SampleValue):
            return None
        with name_scope(self.name, values=[final_loss]), name_scope(name):
            return self._loss_fn(self, self._value, final_loss)


class ObservedStochasticTensor(StochasticTensor):
    """A value that was seen, with the distribution that it is taken to come from.

    Raises:
      TypeError: when `dist` is no distribution.
      ValueError: when the value does not have its type, or the end of its shape.
    """

    def __init__(self, dist: Distribution, value: Any, name: str | None = None):
        _check_distribution(dist)
        self.value_type, self._loss_fn, self.distribution = SampleValue(), None, dist
        with name_scope(name, "ObservedStochasticTensor", [value]) as self.name:
            value = convert_to_tensor(value)
            shape = dist.batch_shape.concatenate(dist.event_shape)
            if (value.shape.ndims or 0) < (shape.ndims or 0):
                raise ValueError(
                    f"Rank of observed value ({value.shape.ndims}) must be >= rank of a sample "
                    f"from the distribution ({shape.ndims})."
                )
            if not value.shape[(value.shape.ndims or 0) - (shape.ndims or 0) :].is_compatible_with(
                shape
            ):
                raise ValueError(
                    f"Shape of observed value {value.shape} is incompatible with the shape of a "
                    f"sample from the distribution {shape}."
                )
            if value.dtype != dist.dtype:
                raise ValueError(
                    f"Type of observed value ({value.dtype}) does not match type of distribution "
                    f"({dist.dtype})."
                )
            self._value = identity(value)
        BaseStochasticTensor.__init__(self)


def _check_distribution(dist: Any) -> None:
    if not isinstance(dist, Distribution):
        raise TypeError("dist must be an instance of Distribution")


def _as_tensor(
    value: BaseStochasticTensor, dtype: Any = None, name: Any = None, as_ref: bool = False
) -> Tensor:
    if as_ref:
        raise ValueError(f"{value}: Ref type is not supported.")
    return convert_to_tensor(value.value(), dtype)


register_tensor_conversion_function(BaseStochasticTensor, _as_tensor)


def surrogate_loss(
    sample_losses: Sequence[Any], stochastic_tensors: Sequence[BaseStochasticTensor] | None = None,
    name: str = "SurrogateLoss",
) -> Tensor:  # fmt: skip
    """A loss whose gradient is that of what is expected of `sample_losses`.

    Args:
      sample_losses: scalars or vectors, one number an example.
      stochastic_tensors: what they depend on; all of the graph by default.
      name: the name of the scope.
    Raises:
      ValueError: when there is no loss, or one has two axes or more.
    """
    with name_scope(name, values=sample_losses):
        losses = [convert_to_tensor(each) for each in sample_losses]
        if not losses:
            raise ValueError("No losses passed in")
        for each in losses:
            if (each.shape.ndims or 0) > 1:
                raise ValueError(f"Loss tensor must have rank 0 or 1; got {each}")
        if stochastic_tensors is None:
            stochastic_tensors = stacks.get_collection(STOCHASTIC_TENSOR_COLLECTION)
        before = [set(get_backward_walk_ops([each.op], inclusive=True)) for each in losses]
        terms = list(losses)
        for tensor in stochastic_tensors:
            op = tensor.value().op
            reached = [
                stop_gradient(loss) for loss, ops in zip(losses, before, strict=True) if op in ops
            ]
            term = tensor.loss(add_n(reached)) if reached else None
            if term is not None:
                terms.append(term)
        return add_n([each + zeros_like(terms[0]) for each in terms])


# ---- expectations --------------------------------------------------------------------------


def expectation(
    f: Callable[[Any], Any], samples: Any, log_prob: Callable[[Any], Any] | None = None,
    use_reparametrization: bool = True, axis: Any = 0, keep_dims: bool = False,
    name: str | None = None, z: Any = None, n: Any = None, seed: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of `f` over samples, with a gradient by the parameters of their distribution.

    Args:
      f: of samples.
      samples: drawn along `axis`; or a distribution, from which `z` or `n` are drawn.
      log_prob: of samples; needed where gradients do not go through them.
      use_reparametrization: whether they do.
      axis, keep_dims: as of `tf.reduce_mean`.
      name: the name of the scope.
      z, n, seed: samples, or how many, as in TensorFlow 1.2.
    Raises:
      ValueError: when `log_prob` is needed and is none.
    """
    with name_scope(name, "expectation", [samples if z is None else z]):
        if not callable(f):
            raise ValueError("`f` must be a callable function.")
        if isinstance(samples, Distribution):
            samples = samples_of(samples, z, n, seed)
        if use_reparametrization:
            return reduce_mean(f(samples), axis=axis, keepdims=keep_dims)
        if not callable(log_prob):
            raise ValueError("`log_prob` must be a callable function.")
        samples = stop_gradient(samples)
        values, scores = f(samples), log_prob(samples)
        values += stop_gradient(values) * (scores - stop_gradient(scores))
        return reduce_mean(values, axis=axis, keepdims=keep_dims)


def samples_of(dist: Distribution, z: Any, n: Any, seed: int | None) -> Tensor:
    """The samples `z`, or else `n` new ones.

    Raises:
      ValueError: when neither or both are given.
    """
    if (n is None) == (z is None):
        raise ValueError(
            f'Must specify exactly one of arguments "n" and "z".  Found: n = {n}, z = {z}'
        )
    return dist.sample(n, seed=seed) if z is None else convert_to_tensor(z, name="z")


def log_mean_exp(values: Any) -> Tensor:
    """log(mean(exp(values))) along the first axis, without overflow."""
    return reduce_logsumexp(values, 0) - log(cast(shape(values)[0], values.dtype))


def expectation_importance_sampler(
    f: Callable[[Any], Any], log_p: Callable[[Any], Any], sampling_dist_q: Distribution,
    z: Any = None, n: Any = None, seed: int | None = None,
    name: str = "expectation_importance_sampler",
) -> Tensor:  # fmt: skip
    """The mean of `f` under a density p, by samples of another distribution.

    E_p[f] = E_q[f p / q], in logarithms, for f's positive part and its negative one: 1 is added to
    both, so that neither is log(0).

    Args:
      f: of samples.
      log_p: the logarithm of the density.
      sampling_dist_q: from where samples are drawn.
      z: samples of it; or else
      n, seed: how many to draw.
      name: the name of the scope.
    Raises:
      ValueError: when neither or both of `z` and `n` are given.
    """
    with name_scope(name, values=[z, n]):
        z = samples_of(sampling_dist_q, z, n, seed)
        weights, values = log_p(z) - sampling_dist_q.log_prob(z), f(z)
        above, below = (log_mean_exp(log1p(relu(part)) + weights) for part in (values, -values))
        return exp(above) - exp(below)


def expectation_importance_sampler_logspace(
    log_f: Callable[[Any], Any], log_p: Callable[[Any], Any], sampling_dist_q: Distribution,
    z: Any = None, n: Any = None, seed: int | None = None,
    name: str = "expectation_importance_sampler_logspace",
) -> Tensor:  # fmt: skip
    """log(E_p[f]) of a positive f, given its logarithm; see `expectation_importance_sampler`."""
    with name_scope(name, values=[z, n]):
        z = samples_of(sampling_dist_q, z, n, seed)
        return log_mean_exp(log_f(z) + log_p(z) - sampling_dist_q.log_prob(z))


def _primes(count: int) -> np.ndarray:
    """The first primes, at most 1000."""
    products = {m for n in range(2, 89) for m in range(n * n, 7920, n)}  # the 1000th is 7919
    return np.array([n for n in range(2, 7920) if n not in products][:count], np.int32)


def halton(
    dim: int, num_results: Any = None, sequence_indices: Any = None, dtype: DType | None = None,
    randomized: bool = True, seed: int | None = None, name: str | None = None,
    num_samples: Any = None, sample_indices: Any = None,
) -> Tensor:  # fmt: skip
    """Points of Halton's sequence, which fill a cube more evenly than random ones.

    The i-th number along axis k is i in base b, the k-th prime, with its digits mirrored at the
    point: 6 = 110 in base 2 gives 0.011 = 3/8. Random ones have, for each place, a permutation of
    the digits (Owen, "A randomized Halton algorithm in R", 2017).

    Args:
      dim: how many axes the cube has, at most 1000.
      num_results: how many points; or else
      sequence_indices: [n] int32, which ones, from 0.
      dtype: float32 by default.
      randomized: whether digits are permuted.
      seed: of the permutations.
      name: the name of the scope.
      num_samples, sample_indices: the names of TensorFlow 1.4, whose points are not random.
    Returns: [n, dim], between 0 and 1.
    Raises:
      ValueError: when there are too many axes, or not one of the ways to say which points.
    Example:
      >>> print(sess.run(tf.contrib.bayesflow.halton_sequence.sample(1, 3, randomized=False)))
      [[0.5 ]
       [0.25]
       [0.75]]
    """
    if num_samples is not None or sample_indices is not None:
        num_results, sequence_indices, randomized = num_samples, sample_indices, False
    if not 1 <= dim <= 1000:
        raise ValueError(f"Dimension must be between 1 and 1000. Supplied {dim}")
    if (num_results is None) == (sequence_indices is None):
        raise ValueError(
            "Either `num_results` or `sequence_indices` must be specified but not both."
        )
    dtype = as_dtype(dtype or "float32")
    if not dtype.is_floating:
        raise ValueError("dtype must be of `float`-type")
    with name_scope(name, "sample", [sequence_indices]):
        bases = _primes(dim)
        digits_of = np.repeat(np.arange(dim, dtype=np.float64), bases)
        starts = np.cumsum(bases, dtype=np.int32) - bases
        indices = number_range(num_results) if sequence_indices is None else sequence_indices
        indices = cast(indices, "int32")
        left, points = reshape(indices, [-1, 1]) + 1, constant(0.0, dtype)
        known = constant_value(indices)
        places = 31 if known is None else int(np.max(known + 1, initial=1)).bit_length()
        seeds = [None if seed is None else seed + place for place in range(places + 1)]
        weights = np.ones(dim)
        for place in range(places):
            digits, left, weights = floormod(left, bases), floordiv(left, bases), weights / bases
            if randomized:  # all permutations in one: digits stay among those of their base
                order = random_uniform(digits_of.shape, dtype="float64", seed=seeds[place])
                digits = gather(argsort(order + digits_of), digits + starts) - starts
            points += cast(digits, dtype) * constant(weights, dtype)
        if randomized:  # the digits of all further places
            more = random_uniform([dim], dtype=dtype, seed=seeds[places])
            points += more * constant(weights, dtype)
        return points


def custom_gradient(
    fx: Any, gx: Any, x: Any, axis: Any = (), fx_gx_manually_stopped: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`fx`, with `gx` for its gradient by `x`: (x - stop(x)) * stop(gx) + stop(fx).

    Args:
      fx: f(x).
      gx: what its gradient shall be.
      x: where.
      axis: the axes of `x` of which f makes one number; () if f is elementwise, None for all.
      fx_gx_manually_stopped: whether `fx` and `gx` have their gradients stopped already.
      name: the name of the scope.
    Example:
      >>> x = tf.constant(3.0)
      >>> y = tf.contrib.bayesflow.custom_grad.custom_gradient(x * x, 100.0, x)
      >>> print(*sess.run([y, tf.gradients(y, x)[0]]))
      9.0 100.0
    """
    with name_scope(name, "custom_gradient", [fx, gx, x]):
        fx = convert_to_tensor(fx, name="fx")
        gx = convert_to_tensor(gx, dtype=fx.dtype, name="gx")
        whole = reduce_sum(x, axis=axis, name="sum_x")
        if not fx_gx_manually_stopped:
            fx, gx = stop_gradient(fx), stop_gradient(gx)
        return (whole - stop_gradient(whole)) * gx + fx

"""`tf.contrib.gan.features`: what steadies two networks that train against each other.

tensor_pool                a discriminator also sees what the generator made before
condition_tensor           data shifted by a linear function of labels
spectral normalization     weights divided by their largest singular value (Miyato et al., 2018)
VBN                        batches normalized by one batch of reference (Salimans et al., 2016)
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Callable, Iterator
from typing import Any

from minitf.compat.slim.layers import flatten, linear
from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, logging
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, stop_gradient
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.comparisons import less
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import multiply, rsqrt, square
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import argmax, reduce_mean
from minitf.core.variables.initializers import (
    ones_initializer,
    random_normal_initializer,
    zeros_initializer,
)
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.input.queues.queues import RandomShuffleQueue
from minitf.library.nets.basics import l2_normalize
from minitf.library.nets.embeddings import embedding_lookup


def tensor_pool(
    input_values: Any, pool_size: int = 50, pooling_probability: Any = 0.5,
    name: str = "tensor_pool",
) -> Any:  # fmt: skip
    """Gives values, or with some probability older ones from a pool, where these stay instead.

    Args:
      input_values: a tensor, or a list or tuple of tensors that belong together.
      pool_size: how many the pool holds; until it is full, values are kept and given. 0 for none.
      pooling_probability: how likely an older one comes.
      name: the beginning of the scope's name.
    Returns: as `input_values`.
    Raises:
      ValueError: when `pool_size` is negative.
    """
    if int(pool_size) < 0:
        raise ValueError("`pool_size` is negative.")
    if not int(pool_size):
        return input_values
    many = isinstance(input_values, list | tuple)
    flat: list[Any] = _flat(input_values)
    with name_scope(f"{name}_pool_queue"):
        pool = RandomShuffleQueue(int(pool_size), 0, dtypes=[each.dtype for each in flat])

        def keep() -> list[Tensor]:
            with control_dependencies([pool.enqueue(flat)]):
                return [identity(each) for each in flat]

        def exchange() -> list[Tensor]:
            older = pool.dequeue()
            older = list(older) if isinstance(older, list | tuple) else [older]
            with control_dependencies(older), control_dependencies([pool.enqueue(flat)]):
                chosen = less(random_uniform(()), pooling_probability)
                return list(_listed(cond(chosen, lambda: older, lambda: list(flat))))

        found = _listed(cond(less(pool.size(), int(pool_size)), keep, exchange))
    for value, given in zip(found, flat, strict=True):
        value.set_shape(given.shape)
    return _as_given(input_values, iter(found)) if many else found[0]


def _flat(values: Any) -> list[Any]:
    if isinstance(values, list | tuple):
        return [each for value in values for each in _flat(value)]
    return [values]


def _as_given(values: Any, found: Iterator[Any]) -> Any:
    if isinstance(values, list | tuple):
        return type(values)(_as_given(value, found) for value in values)
    return next(found)


def _listed(values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else [values]


# ---- labels --------------------------------------------------------------------------------


def condition_tensor(tensor: Tensor, conditioning: Tensor) -> Tensor:
    """Adds a linear function of the condition.

    Args:
      tensor: [batch, ...], known but for the batch.
      conditioning: [batch, ...].
    Raises:
      ValueError: when the shape is not known, or the condition has no features.
    """
    tensor.shape[1:].assert_is_fully_defined()
    if len(conditioning.shape) < 2:
        raise ValueError(f"conditioning must be at least 2D, but saw shape: {conditioning.shape}")
    shift = linear(flatten(conditioning), tensor.shape[1:].num_elements())
    if not shift.shape.is_compatible_with(tensor.shape):
        shift = reshape(shift, shape_of(tensor))
    return tensor + shift


def condition_tensor_from_onehot(
    tensor: Tensor, one_hot_labels: Tensor, embedding_size: int = 256
) -> Tensor:
    """As `condition_tensor`, by an embedding of classes.

    Args:
      one_hot_labels: [batch, classes].
      embedding_size: how long the vector of a class is.
    """
    one_hot_labels.shape.assert_has_rank(2)
    one_hot_labels.shape[1:].assert_is_fully_defined()
    vectors = get_variable("embedding", [one_hot_labels.shape.as_list()[1], embedding_size])
    label = argmax(one_hot_labels, axis=1)
    return condition_tensor(tensor, embedding_lookup(vectors, label, name="token_to_embedding"))


# ---- spectral normalization ----------------------------------------------------------------


def compute_spectral_norm(
    w_tensor: Any, power_iteration_rounds: int = 1, name: str | None = None
) -> Tensor:
    """The largest singular value, by turns of the power method that go on from step to step.

    u <- Wv / |Wv|, v <- W'u / |W'u|; then u'Wv. `u` is kept in a variable.

    Args:
      w_tensor: [..., outputs] weights, taken as a matrix.
      power_iteration_rounds: how many turns a step makes.
      name: the name of the scope.
    """
    with variable_scope(name, "spectral_norm"):
        w = reshape(w_tensor, (-1, w_tensor.shape.as_list()[-1]))
        kept = get_variable(
            "spectral_norm_u", (w.shape.as_list()[0], 1), w.dtype, random_normal_initializer(),
            trainable=False,
        )  # fmt: skip
        u: Any = kept
        for _ in range(power_iteration_rounds):
            v = l2_normalize(matmul(transpose(w), u))
            u = l2_normalize(matmul(w, v))
        with control_dependencies([kept.assign(u, name="update_u")]):
            u = identity(u)
        return matmul(matmul(transpose(stop_gradient(u)), w), stop_gradient(v))[0][0]


def spectral_normalize(w: Any, power_iteration_rounds: int = 1, name: str | None = None) -> Tensor:
    """Weights divided by `compute_spectral_norm`."""
    with variable_scope(name, "spectral_normalize"):
        divided = w / compute_spectral_norm(w, power_iteration_rounds)
        return reshape(divided, w.shape)


def spectral_norm_regularizer(
    scale: float, power_iteration_rounds: int = 1, scope: str | None = None
) -> Callable[[Any], Tensor | None]:
    """From weights to `scale` times their spectral norm.

    Raises:
      ValueError: when `scale` is an integer or negative.
    """
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if scale < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")
    if scale == 0.0:
        logging.info("Scale of 0 disables regularizer.")
        return lambda _: None

    def regularizer(weights: Any, name: str | None = None) -> Tensor:
        with name_scope(scope, "SpectralNormRegularizer", [weights]) as name:
            factor = convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return multiply(factor, compute_spectral_norm(weights, power_iteration_rounds), name)

    return regularizer


def _is_kernel(name: str) -> bool:
    return re.match(r"(.*\/)?(depthwise_|pointwise_)?(weights|kernel)$", name) is not None


def spectral_normalization_custom_getter(
    name_filter: Callable[[str], bool] = _is_kernel, power_iteration_rounds: int = 1
) -> Callable[..., Any]:
    """The `custom_getter` of a `variable_scope` that gives kernels spectrally normalized.

    Args:
      name_filter: from a variable's name to whether it is a kernel.
      power_iteration_rounds: see `compute_spectral_norm`.
    """
    if not callable(name_filter):
        raise ValueError("name_filter must be callable")

    def getter(getter: Callable, name: str, *args: Any, **kwargs: Any) -> Any:
        if not name_filter(name):
            return getter(name, *args, **kwargs)
        if name.endswith("spectral_norm_u"):
            raise ValueError(
                "Cannot apply Spectral Normalization to internal variables created for Spectral "
                f"Normalization. Tried to normalized variable [{name}]"
            )
        if kwargs["dtype"] not in (dtypes.float16, dtypes.float32, dtypes.float64):
            raise ValueError(f"Disallowed data type {kwargs['dtype']}")
        weights = getter(name, *args, **kwargs)
        if len(weights.shape) < 2:
            raise ValueError("Spectral norm can only be applied to multi-dimensional tensors")
        return spectral_normalize(weights, power_iteration_rounds, f"{name}/spectral_normalize")

    return getter


# ---- normalization by a batch of reference -------------------------------------------------


class VBN:
    """Normalizes batches by the moments of a reference, each example counted as one of it.

    Args:
      x: [batch, ...] the batch of reference.
      axis: the axis of the features.
      epsilon: what is added to the variance.
      center, scale: whether there is a shift and a factor to train.
      name: the scope of the variables.
    Example: `vbn = VBN(reference); vbn.reference_batch_normalization(); vbn(batch)`.
    """

    def __init__(
        self, x: Any, axis: int = -1, epsilon: float = 1e-3, center: bool = True,
        scale: bool = True, beta_initializer: Any = None, gamma_initializer: Any = None,
        beta_regularizer: Any = None, gamma_regularizer: Any = None, trainable: bool = True,
        name: str | None = None, batch_axis: int = 0,
    ) -> None:  # fmt: skip
        x = convert_to_tensor(x)
        rank = len(x.shape)
        self._axis, self._batch_axis, self._epsilon, self._x = axis % rank, batch_axis, epsilon, x
        self._over = [i for i in range(rank) if i not in (self._axis, batch_axis)]
        size = x.shape.as_list()[self._axis]
        self._shape = [size if i == self._axis else 1 for i in range(rank)]
        with variable_scope(name, "VBN", [x]):
            parts: list[Any] = [
                get_variable(word, [size], x.dtype, start, regular, trainable) if wanted else None
                for wanted, word, start, regular in (
                    (scale, "gamma", gamma_initializer or ones_initializer(), gamma_regularizer),
                    (center, "beta", beta_initializer or zeros_initializer(), beta_regularizer),
                )
            ]
        self._gamma, self._beta = parts
        self._size = float(x.shape.as_list()[batch_axis])
        means = [reduce_mean(y, self._over, keepdims=True) for y in (x, square(x))]
        self._moments = [reduce_mean(each, batch_axis, keepdims=True) for each in means]

    def _normalized(self, x: Tensor, mean: Tensor, square_mean: Tensor) -> Tensor:
        factor = rsqrt(square_mean - square(mean) + self._epsilon)
        if self._gamma is not None:
            factor *= reshape(self._gamma, self._shape)
        found = (x - mean) * factor
        return found if self._beta is None else found + reshape(self._beta, self._shape)

    def reference_batch_normalization(self) -> Tensor:
        """The batch of reference, normalized by itself."""
        return self._normalized(self._x, *self._moments)

    def __call__(self, x: Any) -> Tensor:
        """A batch, each example normalized by the reference and itself: (n ref + x) / (n + 1)."""
        x = convert_to_tensor(x)
        weight = 1.0 / (self._size + 1.0)
        mixed = [
            weight * reduce_mean(y, self._over, keepdims=True) + (1.0 - weight) * of_reference
            for y, of_reference in zip((x, square(x)), self._moments, strict=True)
        ]
        return self._normalized(x, *mixed)

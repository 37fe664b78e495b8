"""Normalizing flows of `tf.contrib.distributions.bijectors`: networks that shift and scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.compat.contrib.bijectors import Bijector
from minitf.core.gradients.while_loop import while_loop
from minitf.core.ops.activations import relu
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import stop_gradient
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_joining import concat, split, unstack
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.math import exp, log, sqrt
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.initializers import glorot_normal_initializer
from minitf.library.layers import normalization
from minitf.library.layers.core import dense
from minitf.library.nets.basics import moments
from minitf.library.numeric.clip import clip_by_value
from minitf.library.variables.template import make_template


class _ShiftAndScale(Bijector):
    """y = x * exp(log_scale) + shift, where a network tells the two of numbers that it knows."""

    _scope = ""

    def __init__(
        self, shift_and_log_scale_fn: Callable, is_constant_jacobian: bool = False,
        validate_args: bool = False, unroll_loop: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        super().__init__(None, is_constant_jacobian, False, None, 1, name=name or self._scope)

    def _told(self, y: Any) -> tuple[Any, Any]:
        """Shift and scale, of what is the same in x and y; 0 for none."""
        shift, log_scale = self._shift_and_log_scale_fn(y)
        zero = zeros_like(y)
        return zero if shift is None else shift, zero if log_scale is None else log_scale

    def _inverse(self, y: Any) -> Any:
        shift, log_scale = self._told(y)
        return (y - shift) * exp(-log_scale)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -reduce_sum(self._told(y)[1], -1)


class MaskedAutoregressiveFlow(_ShiftAndScale):
    """Each number is shifted and scaled by what those before it tell (Papamakarios et al., 2017).

    Args:
      shift_and_log_scale_fn: gets y, and returns the two, of which element i knows y[..., :i].
      is_constant_jacobian: whether it does not scale.
      validate_args, unroll_loop: accepted: `forward` repeats in a loop, once for each element.
      name: the scope of its operations.
    """

    _scope = "masked_autoregressive_flow"

    def _forward(self, x: Any) -> Any:
        self._told(zeros_like(x))  # makes the variables, outside of the loop
        size = shape_of(x)[-1]

        def turn(index: Any, y: Any) -> Any:
            shift, log_scale = self._told(y)
            return index + 1, x * exp(log_scale) + shift

        return while_loop(lambda index, y: index < size, turn, (0, zeros_like(x)))[1]


class RealNVP(_ShiftAndScale):
    """The first numbers tell how the others are shifted and scaled (Dinh et al., 2016).

    Args:
      num_masked: how many of them stay as they are.
      shift_and_log_scale_fn: gets them and the number of the others, and returns the two.
      settings: see `MaskedAutoregressiveFlow`.
    """

    _scope = "real_nvp"

    def __init__(self, num_masked: int, shift_and_log_scale_fn: Callable, **settings: Any) -> None:
        if num_masked <= 0:
            raise ValueError("num_masked must be a positive integer.")
        self._num_masked = num_masked
        super().__init__(shift_and_log_scale_fn, **settings)

    def _told(self, y: Any) -> tuple[Any, Any]:
        count, size = self._num_masked, y.shape[-1].value
        if size is None or count >= size:
            raise ValueError("Number of masked units must be smaller than the event size.")
        told = self._shift_and_log_scale_fn(y[..., :count], size - count)
        same = zeros_like(y[..., :count])  # no shift and no scale of what is kept
        rest = zeros_like(y[..., count:])
        shift, log_scale = (concat([same, rest if t is None else t], -1) for t in told)
        return shift, log_scale

    def _forward(self, x: Any) -> Any:
        shift, log_scale = self._told(x)
        return x * exp(log_scale) + shift

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return reduce_sum(self._told(x)[1], -1)


class BatchNormalization(Bijector):
    """The inverse is batch normalization: of draws while training, else by moving averages.

    Args:
      batchnorm_layer: a `tf.layers.BatchNormalization`; by default one of positive scales.
      training: whether to take the statistics of the batch.
      validate_args, name: see `Bijector`.
    """

    def __init__(
        self, batchnorm_layer: Any = None, training: Any = True, validate_args: bool = False,
        name: str = "batch_normalization",
    ) -> None:  # fmt: skip
        kind = normalization.BatchNormalization
        layer = batchnorm_layer or kind(gamma_constraint=lambda scale: relu(scale) + 1e-6)
        if not isinstance(layer, kind):
            raise ValueError("batchnorm_layer must be an instance of BatchNormalization layer.")
        for wrong, what in ((layer.renorm, "renormalization"),
                            (layer.virtual_batch_size, "virtual batch sizes")):  # fmt: skip
            if wrong:
                raise ValueError(f"BatchNorm Bijector does not support {what}.")
        self.batchnorm, self._training = layer, training
        rank = len(layer.axis) if isinstance(layer.axis, list) else 1
        super().__init__(None, False, validate_args, None, rank, name=name)

    def _built(self, x: Any) -> Any:
        if not x.shape.is_fully_defined():
            raise ValueError("Input must have shape known at graph construction.")
        if not self.batchnorm.built:
            self.batchnorm.build(x.shape)
        return self.batchnorm

    def _inverse(self, y: Any) -> Any:
        return self.batchnorm(y, training=self._training)

    def _forward(self, x: Any) -> Any:
        layer = self._built(x)
        sizes = [n if axis in layer.axis else 1 for axis, n in enumerate(x.shape.as_list())]
        wide = sqrt(layer.moving_variance + layer.epsilon)
        wide = wide / layer.gamma if layer.scale else wide
        mean = layer.moving_mean - (layer.beta * wide if layer.center else 0.0)
        return x * reshape(wide, sizes) + reshape(mean, sizes)

    def _inverse_log_det_jacobian(self, y: Any, saved: bool = False) -> Any:
        layer, variance = self._built(y), self.batchnorm.moving_variance
        if self._training and not saved:
            others = [axis for axis in range(y.shape.ndims) if axis not in layer.axis]
            variance = moments(y, others)[1]
        scales = log(layer.gamma) if layer.scale else 0.0
        return reduce_sum(scales - 0.5 * log(reshape(variance + layer.epsilon, [-1])))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -self._inverse_log_det_jacobian(x, saved=True)


def masked_dense(
    inputs: Any, units: int, num_blocks: int | None = None, exclusive: bool = False,
    kernel_initializer: Any = None, reuse: bool | None = None, name: str | None = None,
    *args: Any, **kwargs: Any,
) -> Any:  # fmt: skip
    """A dense layer in which each block of units sees the blocks of inputs up to its own.

    Args:
      inputs: [..., n].
      units: how many.
      num_blocks: into how many blocks both are cut.
      exclusive: whether a block does not see its own.
      kernel_initializer: of the weights; Glorot's by default.
      reuse, name, args, kwargs: see `tf.layers.dense`.
    """
    size = inputs.shape[-1].value
    if size is None:
        raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
    blocks = num_blocks or 1
    mask = np.zeros([size, units], inputs.dtype.as_numpy_dtype)
    for block in range(blocks):
        seen = slice(block * (size // blocks), (block + 1) * (size // blocks))
        mask[seen, (block + exclusive) * (units // blocks) :] = 1
    initial = kernel_initializer or glorot_normal_initializer()

    def masked(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return mask * initial(shape, dtype, partition_info)

    return dense(
        inputs, units, *args, kernel_initializer=masked, kernel_constraint=lambda w: mask * w,
        name=name, reuse=reuse, **kwargs,
    )  # fmt: skip


def masked_autoregressive_default_template(
    hidden_layers: Sequence[int], shift_only: bool = False, activation: Any = relu,
    log_scale_min_clip: float = -5.0, log_scale_max_clip: float = 3.0,
    log_scale_clip_gradient: bool = False, name: str | None = None, *args: Any, **kwargs: Any,
) -> Any:  # fmt: skip
    """A network for `MaskedAutoregressiveFlow` (Germain et al., MADE, 2015); it shares its weights.

    Args:
      hidden_layers: the number of units of each layer.
      shift_only: whether it does not scale.
      activation: of the layers.
      log_scale_min_clip, log_scale_max_clip: bounds of the second result.
      log_scale_clip_gradient: whether no gradient flows where they hold.
      name: of the variables' scope.
      args, kwargs: see `masked_dense`.
    """
    name = name or "masked_autoregressive_default_template"

    def network(x: Any) -> Any:
        size, shape = x.shape[-1].value, shape_of(x)
        for place, units in enumerate(hidden_layers):
            x = masked_dense(x, units, size, place == 0, *args, activation=activation, **kwargs)
        x = masked_dense(x, (1 if shift_only else 2) * size, size, activation=None, **kwargs)
        if shift_only:
            return reshape(x, shape), None
        shift, log_scale = unstack(reshape(x, concat([shape, [2]], 0)), 2, -1)
        clipped = clip_by_value(log_scale, log_scale_min_clip, log_scale_max_clip)
        if not log_scale_clip_gradient:
            clipped = log_scale + stop_gradient(clipped - log_scale)
        return shift, clipped

    return make_template(name, network)


def real_nvp_default_template(
    hidden_layers: Sequence[int], shift_only: bool = False, activation: Any = relu,
    name: str | None = None, *args: Any, **kwargs: Any,
) -> Any:  # fmt: skip
    """A network of dense layers for `RealNVP`; the arguments are those of the one for flows."""

    def network(x: Any, output_units: int) -> Any:
        for units in hidden_layers:
            x = dense(x, units, activation, *args, **kwargs)
        x = dense(x, (1 if shift_only else 2) * output_units, None, *args, **kwargs)
        return (x, None) if shift_only else tuple(split(x, 2, -1))

    return make_template(name or "real_nvp_default_template", network)

"""Batch normalization: each feature gets mean 0 and variance 1, then a scale and shift of its own.

    training:   x --> mean, variance of the batch --> (x - mean) / sqrt(variance) * gamma + beta
                              |
                              +--> moving_mean, moving_variance   (in UPDATE_OPS)
    otherwise:  x --> moving_mean, moving_variance --> the same

Ioffe and Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal
Covariate Shift" (2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from minitf.core.gradients.cond import smart_cond, smart_constant_value
from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.stacks import colocate_with, control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import identity, stop_gradient
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones, ones_like, zeros, zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.math import maximum, minimum, multiply, sqrt, subtract
from minitf.core.ops.reductions import reduce_mean
from minitf.core.ops.state import assign, assign_sub
from minitf.core.variables.variable_def import VariableAggregation, VariableSynchronization
from minitf.library.keras.backend.session import learning_phase
from minitf.library.keras.engine.input_spec import InputSpec
from minitf.library.keras.layers.configured import SameShape
from minitf.library.nets import basics as nn
from minitf.library.nets.normalization import batch_normalization as normalize
from minitf.library.nets.normalization import fused_batch_norm


class BatchNormalization(SameShape):
    """Normalizes by the statistics of the batch while training, otherwise by their averages.

    The updates of the averages run with each step of `fit`. A layer of `tf.layers` gives them to
    `GraphKeys.UPDATE_OPS`, and the training step must run them:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = optimizer.minimize(loss)

    Args:
      axis: the axis of the features, or several.
      momentum: how much of an average stays at each update.
      epsilon: added to the variance.
      center: whether there is a `beta`, the shift.
      scale: whether there is a `gamma`, the factor.
      beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer,
        beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint: of the variables.
      renorm: while training, correct what the batch says towards the averages.
      renorm_clipping: bounds of the correction (x * r + d), by the keys "rmin", "rmax" and "dmax".
      renorm_momentum: as `momentum`, of the averages that correct.
      virtual_batch_size: the rows of one virtual batch; each is normalized by itself.
      adjustment: from the shape of the inputs to a further scale and shift, while training.
      fused: one op does it all; by default for images.
      kwargs: see `Layer`.
    Raises:
      ValueError: when an axis does not exist, or `fused` cannot be done.
    """

    _untold = (
        *SameShape._untold,
        "renorm",
        "renorm_clipping",
        "renorm_momentum",
        "fused",
        "virtual_batch_size",
        "adjustment",
    )

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        renorm_clipping, known = renorm_clipping or {}, ["rmax", "rmin", "dmax"]
        if renorm and set(renorm_clipping) - set(known):
            raise ValueError(f"renorm_clipping {renorm_clipping} contains keys not in {known}")
        self._keep(locals())
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.fused = fused

    def build(self, input_shape: Any) -> None:
        shape = as_shape(input_shape)
        if shape.ndims is None:
            raise ValueError(f"Input has undefined rank: {input_shape}")
        sizes, rank = shape.as_list(), shape.ndims
        axes = self.axis if isinstance(self.axis, list) else [self.axis]
        for axis in axes:
            if not -rank <= axis < rank:
                raise ValueError(f"Invalid axis: {axis}")
        axes = self._axes = self.axis = [axis % rank for axis in axes]
        if len(set(axes)) != len(axes):
            raise ValueError(f"Duplicate axis: {axes}")
        for axis in axes:
            if sizes[axis] is None:
                raise ValueError(f"Input has undefined `axis` dimension. Input shape: {shape}")
        images = rank == 4 and axes in ([1], [3])
        self._check_variants()
        if self.fused is None:
            self.fused = images and not self._variants()
        elif self.fused and not images:
            raise ValueError(
                "Batch normalization layers with fused=True only support 4D input tensors with "
                f"axis 1 or 3, got rank {rank} and axis {axes}"
            )
        self.input_spec = InputSpec(ndim=rank, axes={axis: sizes[axis] for axis in axes})
        self._spread = [sizes[i] if i in axes else 1 for i in range(rank)]
        if self.virtual_batch_size is not None:  # one more axis, of the virtual batches
            self._spread.insert(1, 1)
            self._axes = [axis + 1 for axis in axes]
        half = self._dtype in (None, dtypes.float16)
        dtype = dtypes.float32 if half else self._dtype
        single = len(axes) == 1 and self.virtual_batch_size is None
        features = [sizes[axes[0]]] if single else self._spread
        whole: dict[str, Any] = {"dtype": dtype, "experimental_autocast": False}
        self.gamma = self._add_own("gamma", features, **whole) if self.scale else None
        self.beta = self._add_own("beta", features, **whole) if self.center else None
        mean, variance = self.moving_mean_initializer, self.moving_variance_initializer

        def deviation(*args: Any, **kwargs: Any) -> Tensor:
            return sqrt(variance(*args, **kwargs))

        averages = {"moving_mean": mean, "moving_variance": variance}
        if self.renorm:
            averages |= {"moving_stddev": deviation}
            averages |= {"renorm_mean": mean, "renorm_stddev": deviation}
        for each, initializer in averages.items():
            weight = self.add_weight(
                each,
                features,
                dtype,
                initializer,
                trainable=False,
                experimental_autocast=False,
                synchronization=VariableSynchronization.ON_READ,
                aggregation=VariableAggregation.MEAN,
            )
            setattr(self, each, weight)
        self.built = True

    def _variants(self) -> list[str]:
        """What was asked for that one fused operation does not do."""
        asked = ("virtual_batch_size", "adjustment")
        return ["renorm"] * bool(self.renorm) + [n for n in asked if getattr(self, n) is not None]

    def _check_variants(self) -> None:
        """Raises ValueError when what was asked for does not go together."""
        asked = self._variants()
        if self.fused and asked:
            if asked[0] == "renorm":
                raise ValueError("Passing both fused=True and renorm=True is unsupported")
            raise ValueError(f"Passing fused=True is unsupported when {asked[0]} is specified.")
        if self.virtual_batch_size is None:
            return
        if self.virtual_batch_size <= 0:
            raise ValueError(
                "virtual_batch_size must be a positive integer that divides the true batch size "
                "of the input Tensor"
            )
        if 0 in self._axes:
            raise ValueError(
                "When using virtual_batch_size, the batch dimension must be 0 and thus axis "
                "cannot include 0"
            )
        if self.adjustment is not None:
            raise ValueError("When using virtual_batch_size, adjustment cannot be specified")

    def get_config(self) -> dict[str, Any]:
        """What makes such a layer again; an adjustment is a function and left out."""
        told = ["renorm", "renorm_clipping", "renorm_momentum"] if self.renorm else []
        told += ["virtual_batch_size"] if self.virtual_batch_size is not None else []
        return {**super().get_config(), **{name: getattr(self, name) for name in told}}

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; by default the learning phase says whether it is training."""
        training = learning_phase() if training is None else training
        known = smart_constant_value(training)
        compute = self._fused if self.fused else self._by_moments
        outputs, mean, variance = compute(inputs, training)
        if known is not False:

            def share(momentum: float) -> Any:
                if known:
                    return momentum
                return smart_cond(training, lambda: constant(momentum), lambda: constant(1.0))

            own = share(self.momentum)
            if self.renorm:
                self._move_corrected(mean, variance, own, share(self.renorm_momentum), training)
            else:
                for average, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
                    self.add_update(partial(_moved, average, value, own), inputs=True)
        outputs.set_shape(inputs.shape)
        return outputs

    def _fused(self, inputs: Tensor, training: Any) -> tuple[Tensor, Tensor, Tensor]:
        dtype, channels = self.moving_mean.dtype.base_dtype, self.moving_mean.shape
        gamma = ones(channels, dtype) if self.gamma is None else self.gamma
        beta = zeros(channels, dtype) if self.beta is None else self.beta
        layout: dict[str, Any] = {
            "epsilon": self.epsilon,
            "data_format": "NCHW" if self._axes == [1] else "NHWC",
        }

        def by_batch() -> tuple[Tensor, Tensor, Tensor]:
            return fused_batch_norm(inputs, gamma, beta, **layout)

        def by_averages() -> tuple[Tensor, Tensor, Tensor]:
            mean, variance = self.moving_mean, self.moving_variance
            return fused_batch_norm(
                inputs, gamma, beta, mean, variance, is_training=False, **layout
            )

        return smart_cond(training, by_batch, by_averages)

    def _by_moments(self, inputs: Tensor, training: Any) -> tuple[Tensor, Tensor, Tensor]:
        mean, variance = self.moving_mean.value(), self.moving_variance.value()
        given = inputs.dtype.base_dtype
        inputs = cast(inputs, mean.dtype)
        scale, shift = self._along(self.gamma), self._along(self.beta)
        virtual = self.virtual_batch_size is not None
        whole = inputs
        if virtual:
            sizes = shape_of(whole)[1:]
            inputs = reshape(whole, concat([[self.virtual_batch_size, -1], sizes], 0))
        new_mean, new_variance = mean, variance
        if smart_constant_value(training) is not False:
            if self.adjustment is not None:
                first = _while_training(training, *self.adjustment(shape_of(inputs)))
                scale, shift = _both(first, (scale, shift))
            others = [i for i in range(len(self._spread)) if i not in self._axes]
            if virtual:
                others.remove(1)
            keep = virtual or len(self._axes) > 1
            batch = nn.moments(inputs, others, keep_dims=keep)
            old_mean, old_variance = mean, variance
            mean = smart_cond(training, lambda: batch[0], lambda: old_mean)
            variance = smart_cond(training, lambda: batch[1], lambda: old_variance)
            new_mean, new_variance = mean, variance
            if virtual:
                new_mean, new_variance = (
                    reduce_mean(each, axis=1, keepdims=True) for each in (mean, variance)
                )
            if self.renorm:
                correction = self._correction(new_mean, new_variance, training)
                with control_dependencies(correction):  # from the averages before they move
                    new_mean, new_variance = identity(new_mean), identity(new_variance)
                scale, shift = _both([self._along(each) for each in correction], (scale, shift))
        outputs = normalize(
            inputs, self._along(mean), self._along(variance), shift, scale, self.epsilon
        )
        if virtual:
            outputs = reshape(outputs, concat([[-1], sizes], 0))
        outputs = cast(outputs, given)
        return outputs, new_mean, new_variance

    def _correction(self, mean: Tensor, variance: Tensor, training: Any) -> list[Tensor]:
        """The factor r and the shift d towards the averages."""
        deviation = maximum(self.renorm_stddev.value(), self.epsilon**0.5)
        r = sqrt(variance + self.epsilon) / deviation
        d = (mean - self.renorm_mean.value()) / deviation
        low, high, most = (self.renorm_clipping.get(key) for key in ("rmin", "rmax", "dmax"))
        r = r if low is None else maximum(r, low)
        r = r if high is None else minimum(r, high)
        d = d if most is None else minimum(maximum(d, -most), most)
        return [stop_gradient(each) for each in _while_training(training, r, d)]

    def _move_corrected(
        self, mean: Tensor, variance: Tensor, own: Any, correcting: Any, training: Any
    ) -> None:
        deviation = sqrt(variance + self.epsilon)

        def of_mean() -> Any:
            first = [
                _moved(self.renorm_mean, mean, correcting),
                _moved(self.renorm_stddev, deviation, correcting),
            ]
            with control_dependencies(first):
                return _moved(self.moving_mean, mean, own)

        def of_variance() -> Any:
            def from_deviation() -> Any:
                moved = _moved(self.moving_stddev, deviation, own)
                return assign(self.moving_variance, relu(moved * moved - self.epsilon))

            return smart_cond(training, from_deviation, self.moving_variance.value)

        self.add_update(of_mean, inputs=True)
        self.add_update(of_variance, inputs=True)

    def _along(self, vector: Any) -> Any:
        """A vector of the features, in a shape that broadcasts to the inputs."""
        last = self._axes == [len(self._spread) - 1]
        if vector is None or last or vector.shape.ndims == len(self._spread):
            return vector
        return reshape(vector, self._spread)


def _moved(average: Any, value: Tensor, momentum: Any) -> Any:
    """The operation that moves an average towards a value."""
    with name_scope("AssignMovingAvg") as scope, colocate_with(average.op):
        dtype = average.dtype.base_dtype
        share = convert_to_tensor(1.0 - momentum, dtype=dtype, name="decay")
        step = multiply(subtract(average.value(), value), share)
        return assign_sub(average, step, name=scope)


def _while_training(training: Any, factor: Tensor, shift: Tensor) -> list[Tensor]:
    """A factor and a shift; 1 and 0 when it is not training."""
    return [
        smart_cond(training, lambda: factor, lambda: ones_like(factor)),
        smart_cond(training, lambda: shift, lambda: zeros_like(shift)),
    ]


def _both(first: Sequence[Any], then: Sequence[Any]) -> tuple[Any, Any]:
    """Two scales and shifts, one after the other, as one; the second ones may be None."""
    (scale, shift), (factor, more) = first, then
    if factor is not None:
        scale, shift = scale * factor, shift * factor
    return scale, shift if more is None else shift + more


class LayerNormalization(SameShape):
    """Normalizes each example by itself: its features get mean 0 and variance 1.

    Source: Ba, Kiros and Hinton, "Layer Normalization" (2016).

    Args:
      axis: the axis of the features, or several.
      epsilon: added to the variance.
      center: whether there is a `beta`, the shift.
      scale: whether there is a `gamma`, the factor.
      beta_initializer, gamma_initializer, beta_regularizer, gamma_regularizer, beta_constraint,
        gamma_constraint: of the variables.
      kwargs: see `Layer`.

    Raises:
      ValueError: when an axis does not exist.
    """

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._keep(locals())
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis

    def build(self, input_shape: Any) -> None:
        """Makes `gamma` and `beta`, of the sizes of the features."""
        shape = as_shape(input_shape)
        if shape.ndims is None:
            raise ValueError(f"Input shape {input_shape} has undefined rank.")
        rank, axes = shape.ndims, self.axis if isinstance(self.axis, list) else [self.axis]
        for axis in axes:
            if not -rank <= axis < rank:
                raise ValueError(f"Invalid axis: {axis}")
        self.axis = [axis % rank for axis in axes]
        sizes = [shape.as_list()[axis] for axis in self.axis]
        whole = {"experimental_autocast": False}
        self.gamma = self._add_own("gamma", sizes, **whole) if self.scale else None
        self.beta = self._add_own("beta", sizes, **whole) if self.center else None
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        given = inputs.dtype.base_dtype
        if self._dtype == dtypes.float32:  # sums of squares are too much for a half
            inputs = cast(inputs, dtypes.float32)
        mean, variance = nn.moments(inputs, self.axis, keep_dims=True)
        shift, factor = self._along(inputs, self.beta), self._along(inputs, self.gamma)
        outputs = cast(normalize(inputs, mean, variance, shift, factor, self.epsilon), given)
        outputs.set_shape(inputs.shape)
        return outputs

    def _along(self, inputs: Tensor, vector: Any) -> Any:
        """Numbers of the features, in a shape that broadcasts to the inputs."""
        sizes = inputs.shape.as_list()
        if vector is None or self.axis == [len(sizes) - 1]:
            return vector
        return reshape(vector, [size if i in self.axis else 1 for i, size in enumerate(sizes)])

"""Batch normalization: each feature gets mean 0 and variance 1, then a scale and shift of its own.

    training:   x --> mean, variance of the batch --> (x - mean) / sqrt(variance) * gamma + beta
                              |
                              +--> moving_mean, moving_variance   (in UPDATE_OPS)
    otherwise:  x --> moving_mean, moving_variance --> the same

Ioffe and Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal
Covariate Shift" (2015).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.stacks import colocate_with, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import ones, zeros
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.math import multiply, subtract
from minitf.core.ops.state import assign_sub
from minitf.core.variables.variable_def import VariableAggregation, VariableSynchronization
from minitf.library.graph_tools.branches import smart_cond, smart_constant_value
from minitf.library.keras.backend.session import learning_phase
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.layers.configured import Masked
from minitf.library.nets import basics as nn
from minitf.library.nets.normalization import batch_normalization as normalize
from minitf.library.nets.normalization import fused_batch_norm


class BatchNormalization(Masked):
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
      renorm: accepted when it is False.
      fused: one op does it all; by default for images.
      kwargs: see `Layer`.
    Raises:
      ValueError: when an axis does not exist, or `fused` cannot be done.
      NotImplementedError: for `renorm`.
    """

    _untold = (*Masked._untold, "renorm", "fused")

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
        fused: bool | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        if renorm:
            raise NotImplementedError("Batch renormalization is not implemented.")
        self._keep(locals())
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.fused = fused

    def build(self, input_shape: Any) -> None:
        shape = as_shape(input_shape)
        if shape.ndims is None:
            raise ValueError(f"Input has undefined rank: {input_shape}")
        sizes, rank = shape.as_list(), shape.ndims
        axes = self.axis = _places(self.axis, rank)
        if len(set(axes)) != len(axes):
            raise ValueError(f"Duplicate axis: {axes}")
        for axis in axes:
            if sizes[axis] is None:
                raise ValueError(f"Input has undefined `axis` dimension. Input shape: {shape}")
        images = rank == 4 and axes in ([1], [3])
        if self.fused is None:
            self.fused = images
        elif self.fused and not images:
            raise ValueError(
                "Batch normalization layers with fused=True only support 4D input tensors with "
                f"axis 1 or 3, got rank {rank} and axis {axes}"
            )
        self.input_spec = InputSpec(ndim=rank, axes={axis: sizes[axis] for axis in axes})
        self._spread = [sizes[i] if i in axes else 1 for i in range(rank)]
        half = self._dtype in (None, dtypes.float16)
        dtype = dtypes.float32 if half else self._dtype
        features = [sizes[axes[0]]] if len(axes) == 1 else self._spread
        self.gamma = self._add_own("gamma", features, dtype=dtype) if self.scale else None
        self.beta = self._add_own("beta", features, dtype=dtype) if self.center else None
        for each in ("moving_mean", "moving_variance"):
            weight = self.add_weight(
                each,
                features,
                dtype,
                getattr(self, f"{each}_initializer"),
                trainable=False,
                synchronization=VariableSynchronization.ON_READ,
                aggregation=VariableAggregation.MEAN,
            )
            setattr(self, each, weight)
        self.built = True

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; by default the learning phase says whether it is training."""
        training = learning_phase() if training is None else training
        known = smart_constant_value(training)
        compute = self._fused if self.fused else self._by_moments
        outputs, mean, variance = compute(inputs, training)
        if known is not False:
            own = self.momentum
            if not known:
                own = smart_cond(training, lambda: constant(self.momentum), lambda: constant(1.0))
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
            "data_format": "NCHW" if self.axis == [1] else "NHWC",
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
        if smart_constant_value(training) is not False:
            others = [i for i in range(len(self._spread)) if i not in self.axis]
            batch = nn.moments(inputs, others, keep_dims=len(self.axis) > 1)
            old_mean, old_variance = mean, variance
            mean = smart_cond(training, lambda: batch[0], lambda: old_mean)
            variance = smart_cond(training, lambda: batch[1], lambda: old_variance)
        shift, scale, middle, size = (
            _along(vector, self.axis, self._spread)
            for vector in (self.beta, self.gamma, mean, variance)
        )
        outputs = normalize(inputs, middle, size, shift, scale, self.epsilon)
        return cast(outputs, given), mean, variance


def _along(vector: Any, axes: list[int], sizes: list[Any]) -> Any:
    """A vector of the features on some axes, in a shape that broadcasts to the inputs."""
    if vector is None or axes == [len(sizes) - 1]:
        return vector
    return reshape(vector, [size if i in axes else 1 for i, size in enumerate(sizes)])


def _places(axis: Any, rank: int) -> list[int]:
    """One axis or a list of them, counted from the first; ValueError when there is no such axis."""
    axes = axis if isinstance(axis, list) else [axis]
    for each in axes:
        if not -rank <= each < rank:
            raise ValueError(f"Invalid axis: {each}")
    return [each % rank for each in axes]


def _moved(average: Any, value: Tensor, momentum: Any) -> Any:
    """The operation that moves an average towards a value."""
    with name_scope("AssignMovingAvg") as scope, colocate_with(average.op):
        dtype = average.dtype.base_dtype
        share = convert_to_tensor(1.0 - momentum, dtype=dtype, name="decay")
        step = multiply(subtract(average.value(), value), share)
        return assign_sub(average, step, name=scope)


class LayerNormalization(Masked):
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
        self.axis = _places(self.axis, shape.ndims)
        sizes = [shape.as_list()[axis] for axis in self.axis]
        self.gamma = self._add_own("gamma", sizes) if self.scale else None
        self.beta = self._add_own("beta", sizes) if self.center else None
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        given = inputs.dtype.base_dtype
        if self._dtype == dtypes.float32:  # sums of squares are too much for a half
            inputs = cast(inputs, dtypes.float32)
        mean, variance = nn.moments(inputs, self.axis, keep_dims=True)
        sizes = inputs.shape.as_list()
        shift, factor = (_along(v, self.axis, sizes) for v in (self.beta, self.gamma))
        outputs = cast(normalize(inputs, mean, variance, shift, factor, self.epsilon), given)
        outputs.set_shape(inputs.shape)
        return outputs

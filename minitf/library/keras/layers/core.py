"""The layers that most networks are made of: dense, dropout, flatten."""

from __future__ import annotations

from typing import Any

from minitf.core.gradients.cond import smart_cond
from minitf.core.graph import dtypes
from minitf.core.graph.shapes import TensorShape, as_shape, dimension_value
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.linalg import matmul, tensordot
from minitf.library.keras import activations
from minitf.library.keras.backend.session import learning_phase
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.input_spec import InputSpec
from minitf.library.nets import basics as nn


class Dense(Layer):
    """A fully connected layer: activation(inputs @ kernel + bias).

    Args:
      units: how many numbers each output row has.
      activation: a function, its name, or None.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: functions of a shape and a dtype, or their names.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions to a loss.
      kernel_constraint, bias_constraint: projections, see `tf.Variable`.
      kwargs: see `Layer`.

    Example:
      >>> tf.keras.layers.Dense(10)(tf.zeros([2, 784]))
      <tf.Tensor 'dense/BiasAdd:0' shape=(2, 10) dtype=float32>
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        dtype = self._dtype or dtypes.float32
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(f"Unable to build `Dense` layer with non-floating point dtype {dtype}")
        shape = as_shape(input_shape)
        inputs = None if shape.ndims is None else shape.as_list()[-1]
        if inputs is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: inputs})
        self.kernel = self._add_own("kernel", [inputs, self.units])
        self.bias = self._add_own("bias", [self.units]) if self.use_bias else None
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        rank = inputs.shape.ndims or 0
        if rank > 2:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        else:
            outputs = matmul(inputs, self.kernel)
        if self.bias is not None:
            outputs = nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        shape = as_shape(input_shape).with_rank_at_least(2)
        if dimension_value(shape[-1]) is None:
            raise ValueError(
                f"The innermost dimension of input_shape must be defined, but saw: {input_shape}"
            )
        return shape[:-1].concatenate(self.units)


class Dropout(Layer):
    """Sets a part of the inputs to 0 while training, and scales up the others.

    Args:
      rate: the part to set to 0, from 0 to 1; a number or a scalar tensor.
      noise_shape: the shape in which is decided; see `tf.nn.dropout`.
      seed: makes the choice repeatable.
      kwargs: see `Layer`.
    """

    def __init__(
        self, rate: Any, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed
        self.supports_masking = True

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        def dropped() -> Tensor:
            return nn.dropout(inputs, rate=self.rate, noise_shape=self.noise_shape, seed=self.seed)

        if training is None:
            training = learning_phase()
        return smart_cond(training, dropped, lambda: identity(inputs))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        return as_shape(input_shape)


class Flatten(Layer):
    """Makes one vector of each example of a batch.

    Args:
      data_format: "channels_last", or "channels_first": then channels are moved to the end first.
      kwargs: see `Layer`.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = "channels_last" if data_format is None else data_format.lower()
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Tensor) -> Tensor:
        rank = inputs.shape.ndims
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return expand_dims(inputs, -1)
        shape = self.compute_output_shape(inputs.shape)
        if shape.as_list()[1] is not None:
            return reshape(inputs, [-1, shape.as_list()[1]])
        outputs = reshape(inputs, [shape_of(inputs)[0], -1])
        outputs.set_shape(shape)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        shape = as_shape(input_shape)
        if shape.ndims is None:
            return TensorShape([None, None])
        if shape.ndims == 1:
            return shape.concatenate(1)
        return TensorShape([shape[0], shape[1:].num_elements()])

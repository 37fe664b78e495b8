"""The layers that most networks are made of: dense, dropout, changes of shape, embeddings."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal, not_equal
from minitf.core.ops.linalg import matmul
from minitf.core.ops.reductions import reduce_any
from minitf.library.keras.backend.functions import (
    elu,
    in_train_phase,
    random_normal,
    random_uniform,
    relu,
    repeat,
)
from minitf.library.keras.backend.session import cast_to_floatx, floatx, normalize_data_format
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.layers.configured import Configured, Masked
from minitf.library.keras.objects import Named, get_registered_object
from minitf.library.nets import basics as nn
from minitf.library.nets.activations import softmax
from minitf.library.nets.embeddings import embedding_lookup
from minitf.library.numeric.products import tensordot


class Dense(Configured):
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
        super().__init__(**kwargs)
        self._keep(locals())
        self.units = int(units)
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` [inputs, units] and `bias` [units]."""
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
        """Adds the operations."""
        rank = inputs.shape.ndims or 0
        if rank > 2:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        else:
            outputs = matmul(cast(inputs, self.kernel.dtype.base_dtype), self.kernel)
        if self.bias is not None:
            outputs = nn.bias_add(outputs, self.bias)
        return self.activation(outputs)


class Activation(Masked):
    """An activation as a layer of its own.

    Args:
      activation: a function, or its name.
      kwargs: see `Layer`.
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def call(self, inputs: Any) -> Any:
        """Adds the operations."""
        return self.activation(inputs)


# ---- dropout -------------------------------------------------------------------------------


class Dropout(Masked):
    """Sets a part of the inputs to 0 while training, and scales up the others.

    Args:
      rate: the part to set to 0, from 0 to 1; a number or a scalar tensor.
      noise_shape: the shape in which is decided, with None for the sizes of the inputs.
      seed: makes the choice repeatable.
      kwargs: see `Layer`.
    Example:
      >>> x = tf.keras.layers.Dropout(0.5)(tf.ones([1000]), training=True)
      >>> sorted(set(sess.run(x).tolist()))
      [0.0, 2.0]
    """

    def __init__(
        self, rate: Any, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def _noise_shape(self, inputs: Tensor) -> Any:
        if not isinstance(self.noise_shape, Sequence) or None not in self.noise_shape:
            return self.noise_shape
        sizes = shape_of(inputs)
        return [sizes[i] if size is None else size for i, size in enumerate(self.noise_shape)]

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; by default the learning phase says whether it is training."""

        def dropped() -> Tensor:
            noise_shape = self._noise_shape(inputs)
            return nn.dropout(inputs, rate=self.rate, noise_shape=noise_shape, seed=self.seed)

        return in_train_phase(dropped, lambda: identity(inputs), training)


# ---- activations ---------------------------------------------------------------------------------


class LeakyReLU(Masked):
    """x where it is positive, `alpha * x` elsewhere.

    Args:
      alpha: the slope.
      kwargs: see `Layer`.
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = cast_to_floatx(alpha)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return relu(inputs, alpha=float(self.alpha))


class ELU(Masked):
    """x where it is positive, `alpha * (exp(x) - 1)` elsewhere.

    Args:
      alpha: the factor.
      kwargs: see `Layer`.
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = cast_to_floatx(alpha)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return elu(inputs, float(self.alpha))


class Softmax(Masked):
    """exp(x) divided by its sum along an axis.

    Args:
      axis: the axis.
      kwargs: see `Layer`.
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return softmax(inputs, self.axis)


class ReLU(Masked):
    """The rectified linear function, with a ceiling, a slope and a threshold.

    Args:
      max_value: what larger values become; None: they stay.
      negative_slope: the slope below the threshold.
      threshold: below it values are 0, or sloped.
      kwargs: see `Layer`.

    Raises:
      ValueError: when the ceiling or the slope is negative.
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0,
        threshold: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.0:
            raise ValueError(f"max_value of Relu layer cannot be negative value: {max_value}")
        if negative_slope < 0.0:
            raise ValueError(
                f"negative_slope of Relu layer cannot be negative value: {negative_slope}"
            )
        self.max_value = None if max_value is None else cast_to_floatx(max_value)
        self.negative_slope = cast_to_floatx(negative_slope)
        self.threshold = cast_to_floatx(threshold)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        ceiling = None if self.max_value is None else float(self.max_value)
        slope, threshold = float(self.negative_slope), float(self.threshold)
        return relu(inputs, alpha=slope, max_value=ceiling, threshold=threshold)


# ---- noise ---------------------------------------------------------------------------------------


#: where selu ends far below zero
_LOWEST = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946


class GaussianNoise(Masked):
    """Adds normal noise while training.

    Args:
      stddev: the standard deviation of the noise.
      seed: makes it repeatable.
      kwargs: see `Layer`.
    """

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; by default the learning phase says whether it is training."""
        how = (shape_of(inputs), 0.0, self.stddev, inputs.dtype.base_dtype, self.seed)
        return in_train_phase(lambda: inputs + random_normal(*how), inputs, training)


class GaussianDropout(Masked):
    """Multiplies by normal noise of mean 1, which disturbs as much as dropping a part would.

    Args:
      rate: that part, from 0 to 1.
      seed: makes it repeatable.
      kwargs: see `Layer`.
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; nothing for a rate of 0 or 1."""
        if not 0 < self.rate < 1:
            return inputs
        stddev = math.sqrt(self.rate / (1.0 - self.rate))
        how = (shape_of(inputs), 1.0, stddev, inputs.dtype.base_dtype, self.seed)
        return in_train_phase(lambda: inputs * random_normal(*how), inputs, training)


class AlphaDropout(Masked):
    """Dropout for `selu`: what is dropped gets its lowest value, and mean and variance stay.

    Args:
      rate: the part to drop, from 0 to 1.
      noise_shape: the shape in which is decided.
      seed: makes it repeatable.
      kwargs: see `Layer`.
    """

    _untold = (*Masked._untold, "noise_shape")

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; nothing for a rate of 0."""
        if not 0 < self.rate < 1:
            return inputs
        return in_train_phase(lambda: self._dropped(inputs), inputs, training)

    def _dropped(self, inputs: Tensor) -> Tensor:
        shape = shape_of(inputs) if self.noise_shape is None else self.noise_shape
        dtype = inputs.dtype.base_dtype
        drawn = random_uniform(shape, dtype=dtype, seed=self.seed)
        kept = cast(greater_equal(drawn, self.rate), dtype)
        factor = ((1 - self.rate) * (1 + self.rate * _LOWEST**2)) ** -0.5
        shift = -factor * _LOWEST * self.rate
        return factor * (inputs * kept + _LOWEST * (1 - kept)) + shift


# ---- changes of shape ----------------------------------------------------------------------


class Flatten(Configured):
    """Makes one vector of each example of a batch.

    Args:
      data_format: "channels_last", or "channels_first": then channels are moved to the end first.
      kwargs: see `Layer`.
    Example:
      >>> tf.keras.layers.Flatten()(tf.zeros([8, 7, 7, 64])).shape.as_list()
      [8, 3136]
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
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
        """[batch, n]."""
        shape = as_shape(input_shape)
        if shape.ndims is None:
            return TensorShape([None, None])
        if shape.ndims == 1:
            return shape.concatenate(1)
        return TensorShape([shape[0], shape[1:].num_elements()])


class Reshape(Configured):
    """Gives each example another shape.

    Args:
      target_shape: the shape without the batch axis; one size may be -1: what remains.
      kwargs: see `Layer`.

    Raises:
      ValueError: when the number of elements is another.
    """

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[batch, *target_shape]."""
        batch, *sizes = list[Any](as_shape(input_shape).as_list())
        target = list(self.target_shape)
        if None in sizes:
            return TensorShape([batch, *(None if size == -1 else size for size in target)])
        known, total = math.prod(n for n in target if n != -1), math.prod(sizes)
        fits = total % known == 0 if -1 in target and known else total == known
        if target.count(-1) > 1 or not fits:
            raise ValueError(
                "total size of new array must be unchanged, "
                f"input_shape = {sizes}, output_shape = {target}"
            )
        return TensorShape([batch, *(total // known if size == -1 else size for size in target)])

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        outputs = reshape(inputs, [shape_of(inputs)[0], *self.target_shape])
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs


class RepeatVector(Configured):
    """[batch, size] as [batch, n, size].

    Args:
      n: how often each vector stands there.
      kwargs: see `Layer`.
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return repeat(inputs, self.n)


# ---- a function, masks, a loss -------------------------------------------------------------


def _named(function: Any) -> Any:
    return Named(function) if callable(function) else function


#: what Keras writes of a function beside its name or its code
_OF_CODE = {"function_type", "module", "output_shape_type", "output_shape_module"}


class Lambda(Configured):
    """A function as a layer.

    Its configuration holds the name of the function, never its code: to make the layer again from
    a file, give the function in `custom_objects`.

    Args:
      function: called with the inputs; and with `mask` and `training`, where it takes these.
      output_shape: accepted; the shape of the output is found by calling the function.
      mask: the mask of the output, or a function of inputs and mask.
      arguments: a dictionary of further arguments.
      kwargs: see `Layer`.

    Example:
      >>> tf.keras.layers.Lambda(lambda x: x ** 2)(tf.zeros([2, 3])).shape.as_list()
      [2, 3]
    """

    def __init__(
        self,
        function: Callable,
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.function, self.mask, self.arguments = function, mask, arguments or {}
        self._output_shape = output_shape
        self.supports_masking = mask is not None
        self._takes = set(inspect.signature(function).parameters)

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """Calls the function."""
        more = {"mask": mask, "training": training}
        more = {key: value for key, value in more.items() if key in self._takes}
        return self.function(inputs, **{**self.arguments, **more})

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """What `mask` says."""
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def get_config(self) -> dict[str, Any]:
        """The names of the functions, and the arguments."""
        return {
            **super(Configured, self).get_config(),
            "function": _named(self.function),
            "output_shape": _named(self._output_shape),
            "mask": _named(self.mask),
            "arguments": self.arguments,
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> Any:
        """Makes the layer again.

        Raises:
          ValueError: when a function is not known.
        """
        config = {key: value for key, value in config.items() if key not in _OF_CODE}
        for key in ("function", "output_shape", "mask"):
            name = config.get(key)
            if key == "function" and isinstance(name, (list, tuple)):  # code, as Keras writes it
                name = config.get("name")
            if isinstance(name, str):
                found = get_registered_object(name, custom_objects)
                config[key] = getattr(name, "thing", None) or found
                if config[key] is None:
                    raise ValueError(
                        f"The function {name!r} of the layer {config.get('name')!r} is not known. "
                        "Code in a configuration is not run: give the function by its name, or a "
                        "lambda by the name of the layer, in `custom_objects`."
                    )
        return cls(**config)


class Masking(Masked):
    """Marks the steps of sequences in which every feature has one value, as steps not to count.

    Args:
      mask_value: that value.
      kwargs: see `Layer`.
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs: Any, mask: Any = None) -> Tensor:
        """[batch, time]: where some feature is another."""
        return reduce_any(not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        counts = reduce_any(not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = inputs * cast(counts, inputs.dtype)
        outputs._keras_mask = squeeze(counts, axis=-1)
        return outputs


# ---- whole numbers -------------------------------------------------------------------------------


class Embedding(Configured):
    """A table of vectors, which its inputs are the rows of.

    Args:
      input_dim: how many vectors there are: the inputs are less.
      output_dim: how many numbers a vector has.
      embeddings_initializer, embeddings_regularizer, embeddings_constraint: of the table.
      activity_regularizer: a function from the output to a loss.
      mask_zero: whether an input of 0 is a step that does not count.
      input_length: how long the sequences are, where it is known.
      kwargs: see `Layer`.

    Example:
      >>> tf.keras.layers.Embedding(1000, 8)(tf.zeros([2, 5], tf.int32)).shape.as_list()
      [2, 5, 8]
    """

    _casts = False  # row numbers may be floats

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            lengths = input_length if isinstance(input_length, (list, tuple)) else [input_length]
            kwargs["input_shape"] = tuple(lengths)
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = floatx()
        super().__init__(**kwargs)
        self._keep(locals())
        self.supports_masking = mask_zero

    def build(self, input_shape: Any) -> None:
        """Makes `embeddings` [input_dim, output_dim]."""
        self.embeddings = self._add_own("embeddings", [self.input_dim, self.output_dim])
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where the input is not 0; None when zeros count."""
        return not_equal(inputs, 0) if self.mask_zero else None

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        if inputs.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
            inputs = cast(inputs, dtypes.int32)
        return embedding_lookup(self.embeddings, inputs)

"""`tf.contrib.bayesflow.layers`: layers whose weights are laws, not numbers.

    prior p(W) ──KL(q || p)──> regularization losses
                    ^
    q(W) = N(loc, scale^2) ──draw──> outputs = inputs * W + bias

Trained with the expected loss plus KL(q || p), q comes near to what the data say of W. Three ways
draw, with the same mean and variance of each output, and gradients of ever less variance:

    reparameterization         W = loc + scale * e, the same for the whole batch
    local reparameterization   outputs ~ N(x loc, x^2 scale^2), drawn for each example
    flipout                    x loc + ((x * r) (scale * e)) * s, with signs r, s for each example

(Kingma and Welling, 2014; Kingma, Salimans and Welling, 2015; Wen, Vicol, Ba, Tran and Grosse,
2018). `dense_flipout(inputs, 10)` and the like make a layer and call it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softplus
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.cast import cast
from minitf.core.ops.linalg import matmul, tensordot
from minitf.core.ops.math import sqrt, square
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.initializers import random_normal_initializer
from minitf.library.distributions.base import Distribution, kl_divergence
from minitf.library.distributions.continuous import Normal
from minitf.library.distributions.multivariate import Deterministic, Independent
from minitf.library.keras.backend.windows import (
    normalize_data_format,
    normalize_padding,
    normalize_tuple,
    output_length,
)
from minitf.library.keras.engine.input_spec import InputSpec
from minitf.library.layers.base import Layer
from minitf.library.layers.utils import functional
from minitf.library.nets.basics import bias_add
from minitf.library.nets.convolution import convolution


def default_loc_scale_fn(
    is_singular: bool = False, loc_initializer: Any = random_normal_initializer(stddev=0.1),  # noqa: B008
    untransformed_scale_initializer: Any = random_normal_initializer(-3.0, 0.1),  # noqa: B008
    loc_regularizer: Any = None, untransformed_scale_regularizer: Any = None,
    loc_constraint: Any = None, untransformed_scale_constraint: Any = None,
) -> Callable[..., tuple[Any, Any]]:  # fmt: skip
    """A function of (dtype, shape, name, trainable, add_variable_fn) to a location and a scale.

    Args:
      is_singular: whether there is no scale.
      loc_initializer, loc_regularizer, loc_constraint: of the location.
      untransformed_scale_initializer, untransformed_scale_regularizer,
        untransformed_scale_constraint: of the variable whose softplus is the scale.
    """
    of_loc = {"initializer": loc_initializer, "regularizer": loc_regularizer,
              "constraint": loc_constraint}  # fmt: skip
    of_scale = {"initializer": untransformed_scale_initializer,
                "regularizer": untransformed_scale_regularizer,
                "constraint": untransformed_scale_constraint}  # fmt: skip

    def make(dtype: Any, shape: Any, name: str, trainable: bool, add_variable_fn: Any) -> tuple:
        given = {"shape": shape, "dtype": dtype, "trainable": trainable}
        loc = add_variable_fn(name=f"{name}_loc", **of_loc, **given)
        if is_singular:
            return loc, None
        raw = add_variable_fn(name=f"{name}_untransformed_scale", **of_scale, **given)
        return loc, np.finfo(dtype.as_numpy_dtype).eps + softplus(raw)

    return make


def default_mean_field_normal_fn(is_singular: bool = False, **options: Any) -> Callable:
    """A function to a normal law of independent numbers, or of one value if `is_singular`.

    Its arguments, and the options, are those of `default_loc_scale_fn`.
    """
    parameters = default_loc_scale_fn(is_singular, **options)

    def make(dtype: Any, shape: Any, name: str, trainable: bool, add_variable_fn: Any) -> Any:
        loc, scale = parameters(dtype, shape, name, trainable, add_variable_fn)
        law = Deterministic(loc) if scale is None else Normal(loc, scale)
        return Independent(law, len(shape))

    return make


def _standard_normal(dtype: Any, *_: Any) -> Normal:
    return Normal(dtype.as_numpy_dtype(0.0), dtype.as_numpy_dtype(1.0))


def _divergence(posterior: Any, prior: Any, _: Any) -> Tensor:
    return reduce_sum(kl_divergence(posterior, prior))


def _draw(law: Any) -> Tensor:
    return law.sample()


def _each(law: Any) -> Any:
    """The law of single numbers."""
    return law.distribution if isinstance(law, Independent) else law


class _Variational(Layer):
    """A layer of a kernel and a bias that are laws.

    Args:
      activation, activity_regularizer, trainable, name, kwargs: those of `tf.layers.Layer`.
      kernel_posterior_fn, bias_posterior_fn: make q, with the arguments of
        `default_mean_field_normal_fn()`; a bias of None is not there.
      kernel_posterior_tensor_fn, bias_posterior_tensor_fn: from q to what is calculated with.
      kernel_prior_fn, bias_prior_fn: make p; None for no prior, and no divergence.
      kernel_divergence_fn, bias_divergence_fn: from q, p, of single numbers, and the draw, to a
        loss: KL(q || p), summed.
      seed: of signs.
    """

    def __init__(
        self, activation: Any = None, activity_regularizer: Any = None, trainable: bool = True,
        kernel_posterior_fn: Callable = default_mean_field_normal_fn(),  # noqa: B008
        kernel_posterior_tensor_fn: Callable = _draw,
        kernel_prior_fn: Callable | None = _standard_normal,
        kernel_divergence_fn: Callable | None = _divergence,
        bias_posterior_fn: Callable | None = default_mean_field_normal_fn(True),  # noqa: B008
        bias_posterior_tensor_fn: Callable = _draw, bias_prior_fn: Callable | None = None,
        bias_divergence_fn: Callable | None = _divergence, seed: int | None = None,
        name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.activation, self.seed = activation, seed
        self.kernel_posterior_fn, self.kernel_prior_fn = kernel_posterior_fn, kernel_prior_fn
        self.kernel_posterior_tensor_fn = kernel_posterior_tensor_fn
        self.kernel_divergence_fn = kernel_divergence_fn
        self.bias_posterior_fn, self.bias_prior_fn = bias_posterior_fn, bias_prior_fn
        self.bias_posterior_tensor_fn = bias_posterior_tensor_fn
        self.bias_divergence_fn = bias_divergence_fn
        self._diverged = False

    def _make_laws(self, kernel_shape: list[int], count: int) -> None:
        dtype = dtypes.as_dtype(self.dtype or dtypes.float32)

        def law(make: Callable | None, shape: list[int], name: str) -> Any:
            return make and make(dtype, shape, name, self.trainable, self.add_variable)

        self.kernel_posterior = law(self.kernel_posterior_fn, kernel_shape, "kernel_posterior")
        self.kernel_prior = law(self.kernel_prior_fn, kernel_shape, "kernel_prior")
        self.bias_posterior = law(self.bias_posterior_fn, [count], "bias_posterior")
        self.bias_prior = law(self.bias_prior_fn, [count], "bias_prior")
        self.built = True

    # ---- what a kind of layer says

    def _linear(self, inputs: Tensor, kernel: Any) -> Tensor:
        """The layer without a bias, for a kernel of numbers."""
        raise NotImplementedError

    def _biased(self, outputs: Tensor, bias: Tensor) -> Tensor:
        return bias_add(outputs, bias)

    def _sign_shape(self, tensor: Tensor) -> Any:
        """The shape in which signs are drawn for `tensor`."""
        return shape_of(tensor)

    # ---- what a way to draw says

    def _drawn(self, inputs: Tensor) -> Tensor:
        """The outputs before the bias."""
        raise NotImplementedError

    def _normal(self) -> Normal:
        """The law of the kernel's numbers, which must be normal."""
        law = self.kernel_posterior
        if not isinstance(law, Independent) or not isinstance(law.distribution, Normal):
            raise TypeError(
                f"`{type(self).__name__}` requires `kernel_posterior_fn` produce an instance of "
                f'`tf.distributions.Independent(tf.distributions.Normal)` (saw: "{law.name}").'
            )
        return law.distribution

    def call(self, inputs: Any) -> Tensor:
        """Adds the operations; at the first call, the divergences as losses."""
        outputs = self._drawn(convert_to_tensor(inputs, self.dtype))
        self.bias_posterior_tensor = None
        if self.bias_posterior is not None:
            self.bias_posterior_tensor = self.bias_posterior_tensor_fn(self.bias_posterior)
            outputs = self._biased(outputs, self.bias_posterior_tensor)
        if self.activation is not None:
            outputs = self.activation(outputs)
        if not self._diverged:
            self._diverge("kernel", self.kernel_posterior, self.kernel_prior)
            self._diverge("bias", self.bias_posterior, self.bias_prior)
            self._diverged = True
        return outputs

    def _diverge(self, what: str, posterior: Distribution, prior: Distribution) -> None:
        function = getattr(self, f"{what}_divergence_fn")
        if None not in (function, posterior, prior):
            drawn = getattr(self, f"{what}_posterior_tensor")
            loss = function(_each(posterior), _each(prior), drawn)
            self.add_loss(identity(loss, name=f"divergence_{what}"))


# ---- ways to draw --------------------------------------------------------------------------


class _Reparameterization(_Variational):
    """One kernel for all examples."""

    def _drawn(self, inputs: Tensor) -> Tensor:
        self.kernel_posterior_affine = self.kernel_posterior_affine_tensor = None
        self.kernel_posterior_tensor = self.kernel_posterior_tensor_fn(self.kernel_posterior)
        return self._linear(inputs, self.kernel_posterior_tensor)


class _LocalReparameterization(_Variational):
    """The law of the outputs, from which each example draws."""

    def _drawn(self, inputs: Tensor) -> Tensor:
        law = self._normal()
        spread = sqrt(self._linear(square(inputs), square(law.scale)))
        self.kernel_posterior_affine = Normal(self._linear(inputs, law.loc), spread)
        self.kernel_posterior_tensor = None
        drawn = self.kernel_posterior_tensor_fn(self.kernel_posterior_affine)
        self.kernel_posterior_affine_tensor = drawn
        return drawn


class _Flipout(_Variational):
    """One deviation of the kernel, with other signs for each example."""

    def _drawn(self, inputs: Tensor) -> Tensor:
        law = self._normal()
        self.kernel_posterior_affine = Normal(zeros_like(law.loc), law.scale)
        deviation = self.kernel_posterior_tensor_fn(self.kernel_posterior_affine)
        self.kernel_posterior_affine_tensor, self.kernel_posterior_tensor = deviation, None
        usual = self._linear(inputs, law.loc)
        turned = self._linear(inputs * self._signs(inputs, 0), deviation)
        return usual + turned * self._signs(usual, 1)

    def _signs(self, tensor: Tensor, place: int) -> Tensor:
        seed = None if self.seed is None else self.seed + place
        drawn = random_uniform(self._sign_shape(tensor), 0, 2, dtypes.int32, seed)
        return cast(2 * drawn - 1, tensor.dtype)


# ---- kinds of layers -----------------------------------------------------------------------


class _Dense(_Variational):
    """outputs = activation(inputs @ kernel + bias).

    Args:
      units: how many outputs.

    The other arguments are those of `_Variational`.
    """

    def __init__(
        self, units: int, activation: Any = None, activity_regularizer: Any = None,
        trainable: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, activity_regularizer, trainable, **options)
        self.units, self.input_spec = units, InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        """Makes the laws of a kernel [inputs, units] and a bias [units]."""
        size = as_shape(input_shape).with_rank_at_least(2).as_list()[-1]
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self._make_laws([size, self.units], self.units)

    def _linear(self, inputs: Tensor, kernel: Any) -> Tensor:
        if len(inputs.shape) <= 2:
            return matmul(inputs, kernel)
        return tensordot(inputs, kernel, [[-1], [0]])

    def compute_output_shape(self, input_shape: Any) -> Any:
        """[..., units]."""
        return as_shape(input_shape).with_rank_at_least(2)[:-1].concatenate(self.units)


class _Conv(_Variational):
    """outputs = activation(convolution(inputs, kernel) + bias).

    Args:
      filters: how many features each place gets.
      kernel_size, strides, padding, data_format, dilation_rate: those of `tf.layers.Conv2D`.

    The other arguments are those of `_Variational`.
    """

    rank: int

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: str = "channels_last", dilation_rate: Any = 1, activation: Any = None,
        activity_regularizer: Any = None, trainable: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, activity_regularizer, trainable, **options)
        self.filters, self.padding = filters, normalize_padding(padding)
        self.kernel_size = normalize_tuple(kernel_size, self.rank, "kernel_size")
        self.strides = normalize_tuple(strides, self.rank, "strides")
        self.dilation_rate = normalize_tuple(dilation_rate, self.rank, "dilation_rate")
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _first(self) -> bool:
        return self.data_format == "channels_first"

    def build(self, input_shape: Any) -> None:
        """Makes the laws of a kernel [*size, channels, filters] and a bias [filters]."""
        axis = 1 if self._first else -1
        channels = as_shape(input_shape).as_list()[axis]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        self._make_laws([*self.kernel_size, channels, self.filters], self.filters)

    def _linear(self, inputs: Tensor, kernel: Any) -> Tensor:
        space = "DHW"[3 - self.rank :]
        return convolution(
            inputs, kernel, self.padding.upper(), self.strides, self.dilation_rate,
            data_format=f"NC{space}" if self._first else f"N{space}C",
        )  # fmt: skip

    def _biased(self, outputs: Tensor, bias: Tensor) -> Tensor:
        return bias_add(outputs, bias, "NCHW" if self._first else "NHWC")

    def _sign_shape(self, tensor: Tensor) -> Any:
        """One sign a channel of an example, the same at all places."""
        sizes, ones = shape_of(tensor), [1] * self.rank
        return [sizes[0], sizes[1], *ones] if self._first else [sizes[0], *ones, sizes[-1]]

    def compute_output_shape(self, input_shape: Any) -> Any:
        """As of `tf.layers.Conv2D`."""
        batch, *rest = as_shape(input_shape).as_list()
        parts = zip(rest[1:] if self._first else rest[:-1], self.kernel_size, self.strides,
                    self.dilation_rate, strict=True)  # fmt: skip
        space = [output_length(n, size, self.padding, s, d) for n, size, s, d in parts]
        return as_shape([batch, self.filters, *space] if self._first
                        else [batch, *space, self.filters])  # fmt: skip


class DenseReparameterization(_Reparameterization, _Dense):
    """A dense layer that draws one kernel for all examples.

    Example:
      >>> layers = tf.contrib.bayesflow.layers
      >>> layers.DenseReparameterization(10, activation=tf.nn.relu)(tf.zeros([2, 784])).shape
      TensorShape([Dimension(2), Dimension(10)])
    """


class DenseLocalReparameterization(_LocalReparameterization, _Dense):
    """A dense layer that draws outputs, for each example."""


class DenseFlipout(_Flipout, _Dense):
    """A dense layer that draws one deviation, with other signs for each example."""


class Conv1DReparameterization(_Reparameterization, _Conv):
    """A convolution of sequences that draws one kernel for all examples."""

    rank = 1


class Conv2DReparameterization(_Reparameterization, _Conv):
    """A convolution of images that draws one kernel for all examples."""

    rank = 2


class Conv3DReparameterization(_Reparameterization, _Conv):
    """A convolution of volumes that draws one kernel for all examples."""

    rank = 3


class Conv1DFlipout(_Flipout, _Conv):
    """A convolution of sequences that draws one deviation, with signs for each example."""

    rank = 1


class Conv2DFlipout(_Flipout, _Conv):
    """A convolution of images that draws one deviation, with signs for each example."""

    rank = 2


class Conv3DFlipout(_Flipout, _Conv):
    """A convolution of volumes that draws one deviation, with signs for each example."""

    rank = 3


def _function(layer: type, name: str) -> Callable[..., Tensor]:
    return functional(layer, name, f"Makes a layer and calls it: {layer.__doc__}".split("\n")[0])


dense_reparameterization = _function(DenseReparameterization, "dense_reparameterization")
dense_local_reparameterization = _function(
    DenseLocalReparameterization, "dense_local_reparameterization"
)
dense_flipout = _function(DenseFlipout, "dense_flipout")
conv1d_reparameterization = _function(Conv1DReparameterization, "conv1d_reparameterization")
conv2d_reparameterization = _function(Conv2DReparameterization, "conv2d_reparameterization")
conv3d_reparameterization = _function(Conv3DReparameterization, "conv3d_reparameterization")
conv1d_flipout = _function(Conv1DFlipout, "conv1d_flipout")
conv2d_flipout = _function(Conv2DFlipout, "conv2d_flipout")
conv3d_flipout = _function(Conv3DFlipout, "conv3d_flipout")

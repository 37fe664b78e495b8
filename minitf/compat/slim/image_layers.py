"""Layers of `tf.contrib.layers` for images that few programs use, and those of its first version.

spatial_softmax           where each feature is, as a mean place
convolution2d_in_plane    one small filter over every channel
gdn                       divides by a learned norm of all channels of a place
images_to_sequence        columns of images as the times of a sequence, and back
legacy_fully_connected    `fully_connected` with the names and collections of 2015
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.arg_scope import add_arg_scope
from minitf.compat.slim.initializers import xavier_initializer
from minitf.compat.slim.layers import (
    DATA_FORMAT_NHWC,
    activated,
    collect_named_outputs,
    collect_variable,
    layout_of,
    model_getter,
)
from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu as relu_op
from minitf.core.ops.activations import softmax
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import linspace, ones
from minitf.core.ops.array_shaping import reshape, tile, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_or
from minitf.core.ops.linalg import matmul, tensordot
from minitf.core.ops.math import maximum, sqrt, square
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.initializers import Constant, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.eager.custom_gradient import custom_gradient
from minitf.library.layers.base import Layer
from minitf.library.nets.basics import bias_add
from minitf.library.nets.depthwise import depthwise_conv2d
from minitf.library.numeric.diagonals import eye


@add_arg_scope
def spatial_softmax(
    features: Any, temperature: Any = None, name: str | None = None,
    variables_collections: Any = None, trainable: bool = True, data_format: str = DATA_FORMAT_NHWC,
) -> Tensor:  # fmt: skip
    """The mean place of each feature: a softmax over space weighs the places, from -1 to 1.

    Finn et al., "Deep Spatial Autoencoders for Visuomotor Learning" (2016).

    Args:
      features: [batch, height, width, channels].
      temperature: of the softmax, what the variable begins at; 1 by default.
      name: of the variable scope.
      variables_collections: where to list the variable.
      trainable: whether it is for optimizers to change.
      data_format: "NHWC" or "NCHW".
    Returns: [batch, 2 * channels].
    Raises:
      ValueError: when the number of channels is not known.
    """
    with variable_scope(name, "spatial_softmax", custom_getter=model_getter):
        features = convert_to_tensor(features)
        if layout_of(data_format) == "channels_last":
            features = transpose(features, [0, 3, 1, 2])
        channels, sizes = features.shape[1].value, shape_of(features)
        if channels is None:
            raise ValueError(
                "The num_channels dimension of the inputs to `spatial_softmax` should be defined. "
                "Found `None`."
            )
        start = Constant(1.0 if temperature is None else temperature)
        heat = get_variable("temperature", [], initializer=start, trainable=trainable)
        collect_variable(heat, variables_collections, "temperature")
        height, width = sizes[2], sizes[3]
        weights = reshape(
            softmax(reshape(features, [-1, height * width]) / heat), [-1, height, width]
        )
        x = reduce_sum(weights * reshape(linspace(-1.0, 1.0, height), [-1, 1]), [1, 2])
        y = reduce_sum(weights * linspace(-1.0, 1.0, width), [1, 2])
        places = reshape(transpose(convert_to_tensor([x, y])), [-1, 2 * channels])
        places.set_shape([None, 2 * channels])
        return places


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any, kernel_size: Any, stride: Any = 1, padding: str = "SAME",
    activation_fn: Callable | None = relu_op, normalizer_fn: Callable | None = None,
    normalizer_params: dict | None = None,
    weights_initializer: Any = xavier_initializer(),  # noqa: B008
    weights_regularizer: Callable | None = None,
    biases_initializer: Any = zeros_initializer(),  # noqa: B008
    biases_regularizer: Callable | None = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """Slides one filter over every channel alone; see `convolution`.

    Args:
      inputs: [batch, height, width, channels].
      kernel_size, stride: a number, or two.
    """
    with variable_scope(
        scope, "ConvInPlane", [inputs], reuse=reuse, custom_getter=model_getter
    ) as sc:
        inputs = convert_to_tensor(inputs)
        channels, dtype = inputs.shape.with_rank(4)[3].value, inputs.dtype.base_dtype
        window, steps = (
            [size] * 2 if isinstance(size, int) else list(size) for size in (kernel_size, stride)
        )
        weights = get_variable(
            "weights", [*window, 1, 1], dtype, weights_initializer, weights_regularizer, trainable
        )
        collect_variable(weights, variables_collections, "weights")
        filters = tile(weights, [1, 1, channels, 1])
        outputs = depthwise_conv2d(inputs, filters, [1, *steps, 1], padding)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        elif biases_initializer is not None:
            biases = get_variable(
                "biases", [channels], dtype, biases_initializer, biases_regularizer, trainable
            )
            collect_variable(biases, variables_collections, "biases")
            outputs = bias_add(outputs, biases)
        return activated(outputs, activation_fn, outputs_collections, sc.name)


conv2d_in_plane = convolution2d_in_plane


@add_arg_scope
def images_to_sequence(
    inputs: Any, data_format: str = DATA_FORMAT_NHWC, outputs_collections: Any = None,
    scope: str | None = None,
) -> Tensor:  # fmt: skip
    """Makes each row of each image a sequence: [width, batch * height, channels]."""
    first = layout_of(data_format) == "channels_first"
    with stacks.name_scope(scope, "ImagesToSequence", [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        if first:
            inputs = transpose(inputs, [0, 2, 3, 1])
        sizes, (_, _, width, depth) = shape_of(inputs), inputs.shape.as_list()
        by_time = transpose(inputs, [2, 0, 1, 3])
        outputs = reshape(by_time, [width, sizes[0] * sizes[1], depth])
        return collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: Any, height: int, output_data_format: str = "channels_last",
    outputs_collections: Any = None, scope: str | None = None,
) -> Tensor:  # fmt: skip
    """The other way of `images_to_sequence`: images of so many rows."""
    with stacks.name_scope(scope, "SequenceToImages", [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        width, rows, depth = inputs.shape.as_list()
        images = reshape(inputs, [width, -1 if rows is None else rows // height, height, depth])
        order = [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3]
        return collect_named_outputs(outputs_collections, sc, transpose(images, order))


# ---- divisive normalization ----------------------------------------------------------------------


@custom_gradient
def _at_least(values: Any, bound: float) -> tuple[Any, Callable]:
    """The larger one; a gradient that would make what is too small larger passes as well."""

    def grad(dy: Any) -> tuple[Any, None]:
        return cast(logical_or(values >= bound, dy < 0), dy.dtype) * dy, None

    return maximum(values, bound), grad


class GDN(Layer):
    """Generalized divisive normalization: y[i] = x[i] / sqrt(beta[i] + sum_j gamma[j, i] * x[j]^2).

    Ballé, Laparra and Simoncelli, "Density Modeling of Images Using a Generalized Normalization
    Transformation" (2016).

    Args:
      inverse: whether to multiply in place of dividing.
      beta_min: the least beta.
      gamma_init: what the diagonal of gamma begins at.
      reparam_offset: keeps the gradients of small values from vanishing.
      data_format: "channels_last" or "channels_first".
      activity_regularizer, trainable, name, kwargs: see `tf.layers.Layer`.
    Raises:
      ValueError: for another format.
    """

    def __init__(
        self, inverse: bool = False, beta_min: float = 1e-6, gamma_init: float = 0.1,
        reparam_offset: float = 2**-18, data_format: str = "channels_last",
        activity_regularizer: Any = None, trainable: bool = True, name: str | None = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs
        )
        if data_format not in ("channels_first", "channels_last"):
            raise ValueError(f"Unsupported `data_format` for GDN layer: {data_format}.")
        self.inverse, self.data_format = inverse, data_format
        self._beta_min, self._gamma_init = beta_min, gamma_init
        self._offset, self._pedestal = reparam_offset, reparam_offset**2

    def build(self, input_shape: Any) -> None:
        """Makes `reparam_beta` and `reparam_gamma`, the roots of beta and gamma."""
        if not 3 <= input_shape.ndims <= 5:
            raise ValueError(f"GDN takes inputs of rank 3 to 5, not {input_shape}")
        channels = input_shape[1 if self.data_format == "channels_first" else -1].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")

        def variable(name: str, value: Any, shape: list, bound: float) -> Tensor:
            root = self.add_variable(
                f"reparam_{name}", shape,
                initializer=lambda shape, dtype=None, partition_info=None: sqrt(
                    cast(value, dtype) + self._pedestal
                ),
            )  # fmt: skip
            return square(_at_least(root, bound)) - self._pedestal

        least = (self._beta_min + self._pedestal) ** 0.5
        self.beta = variable("beta", ones([channels]), [channels], least)
        start = self._gamma_init * eye(channels)
        self.gamma = variable("gamma", start, [channels, channels], self._offset)
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """Adds the operations."""
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        order = list(range(rank))
        if self.data_format == "channels_first":
            order = [0, *order[2:], 1]
        squares = transpose(square(inputs), order)
        norms = sqrt(tensordot(squares, self.gamma, [[rank - 1], [0]]) + self.beta)
        norms = transpose(norms, [order.index(axis) for axis in range(rank)])
        outputs = inputs * norms if self.inverse else inputs / norms
        outputs.set_shape(inputs.shape)
        return outputs


def gdn(
    inputs: Any, inverse: bool = False, beta_min: float = 1e-6, gamma_init: float = 0.1,
    reparam_offset: float = 2**-18, data_format: str = "channels_last",
    activity_regularizer: Any = None, trainable: bool = True, name: str | None = None,
    reuse: bool | None = None,
) -> Tensor:  # fmt: skip
    """Divides by a learned norm of all channels; see `GDN`."""
    options = dict(locals())
    inputs, reuse = options.pop("inputs"), options.pop("reuse")
    dtype = convert_to_tensor(inputs).dtype.base_dtype
    return GDN(**options, dtype=dtype, _scope=name, _reuse=reuse)(inputs)


# ---- of 2015 -------------------------------------------------------------------------------------


def legacy_fully_connected(
    x: Any, num_output_units: int, activation_fn: Callable | None = None,
    weight_init: Any = xavier_initializer(),  # noqa: B008
    bias_init: Any = zeros_initializer(), name: str | None = None,  # noqa: B008
    weight_collections: Any = (GraphKeys.WEIGHTS,), bias_collections: Any = (GraphKeys.BIASES,),
    output_collections: Any = (GraphKeys.ACTIVATIONS,), trainable: bool = True,
    weight_regularizer: Callable | None = None, bias_regularizer: Callable | None = None,
) -> Tensor:  # fmt: skip
    """A fully connected layer with the variables `weights` and `bias`; see `fully_connected`.

    Args:
      x: [..., n].
      num_output_units: how many numbers each output row has.
      weight_init, bias_init: of the variables; no bias for None.
      weight_collections, bias_collections, output_collections: where to list them, and the output.
    Raises:
      ValueError: when rank or last size of `x` are not known, or the rank is below 2.
    """
    with variable_scope(name, "fully_connected", [x]):
        x = convert_to_tensor(x)
        if x.shape.ndims is None:
            raise ValueError("dims of x must be known but is None")
        if x.shape.ndims < 2:
            raise ValueError(f"rank of x must be at least 2 not: {x.shape.ndims}")
        depth, dtype = x.shape[-1].value, x.dtype.base_dtype
        if depth is None:
            raise ValueError("last dimension of x must be known but is None")

        def variable(name: str, shape: list, start: Any, regularizer: Any, listed: Any) -> Any:
            return get_variable(
                name, shape, dtype, start, regularizer, trainable,
                collections=sorted({*(listed or ()), GraphKeys.GLOBAL_VARIABLES}),
            )  # fmt: skip

        shape = [depth, num_output_units]
        weights = variable("weights", shape, weight_init, weight_regularizer, weight_collections)
        y = tensordot(x, weights, 1) if x.shape.ndims > 2 else matmul(x, weights)
        y.set_shape([*x.shape.as_list()[:-1], num_output_units])
        if bias_init is not None:
            size = [num_output_units]
            bias = variable("bias", size, bias_init, bias_regularizer, bias_collections)
            y = y + bias if x.shape.ndims > 2 else bias_add(y, bias)
        if activation_fn is not None:
            y = activation_fn(y)
        stacks.add_to_collections([*(output_collections or ()), GraphKeys.ACTIVATIONS], y)
        return y


legacy_linear = legacy_fully_connected
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=relu_op)

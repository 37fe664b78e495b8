"""The functions of `tf.nn` that convolve: their arguments, names, and how they are made of few ops.

conv1d ─────────────> Conv2D of images one row high
convolution ────────> conv1d or Conv2D, by the rank
conv2d_transpose ───> Conv2DBackpropInput: where the gradient goes, a picture grows
atrous_conv2d ──────> Conv2D with dilations
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import one_of
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.library.nets import conv_ops
from minitf.library.nets.windows import one_row_high, window_attrs


def _apply(
    op_def: OpDef,
    inputs: Sequence[Any],
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
    name: str | None,
    **others: Any,
) -> Tensor:
    """Adds one of the ops; the arguments are those of its function in `tf.nn`."""
    attrs = window_attrs(op_def, padding, data_format, strides=strides, dilations=dilations)
    return op_def(*inputs, name=name, **attrs, **others)


# ---- images ------------------------------------------------------------------------------


def conv2d(
    input: TensorLike,
    filter: TensorLike = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Slides filters over images: y[b, i, j, m] = sum x[b, s i + di, s j + dj, c] w[di, dj, c, m].

    Args:
      input: [batch, height, width, channels], or [batch, channels, height, width] for NCHW.
      filter: [height, width, channels, features]. `filters` is its later name.
      strides: four numbers in the order of the layout, or the one or two that speak of space.
      padding: "SAME" (a margin of zeros so that stride 1 keeps the size), "VALID" (none), or a pair
        of margins for each dimension.
      use_cudnn_on_gpu: accepted.
      data_format: "NHWC" or "NCHW".
      dilations: as `strides`; the distance between the elements of a window.
      name: the name.
    Raises:
      ValueError: when the sizes do not fit.
    Example:
      >>> images = tf.placeholder(tf.float32, [None, 28, 28, 1])
      >>> w = tf.Variable(tf.truncated_normal([5, 5, 1, 32], stddev=0.1))
      >>> tf.nn.conv2d(images, w, strides=[1, 1, 1, 1], padding="SAME").shape.as_list()
      [None, 28, 28, 32]
    """
    w = one_of("filters", filters, "filter", filter)
    cudnn = {"use_cudnn_on_gpu": use_cudnn_on_gpu}
    return _apply(
        conv_ops.conv2d_op, (input, w), strides, padding, data_format, dilations, name, **cudnn
    )


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of `conv2d` by its input, whose sizes are `input_sizes`."""
    w = one_of("filters", filters, "filter", filter)
    tensors = (input_sizes, w, out_backprop)
    return _apply(
        conv_ops.conv2d_backprop_input_op, tensors, strides, padding, data_format, dilations, name
    )


def conv2d_transpose(
    value: TensorLike = None,
    filter: TensorLike = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of `conv2d`, which makes images larger: each pixel paints a filter.

    Args:
      value: [batch, height, width, channels] in the layout of `data_format`. Also `input`.
      filter: [height, width, output channels, channels]. Also `filters`.
      output_shape: the sizes of the result, which `conv2d` would bring to those of `value`.
      strides: as in `conv2d`: by how much the images grow.
      padding: "SAME" or "VALID", or a pair of margins for each dimension.
      data_format: "NHWC" or "NCHW".
      name: the name.
      dilations: as in `conv2d`.
    """
    value = one_of("input", input, "value", value)
    w = one_of("filters", filters, "filter", filter)
    with name_scope(name, "conv2d_transpose", [value, w, output_shape]) as scope:
        options = (strides, padding, data_format, dilations, scope)
        return _apply(conv_ops.conv2d_backprop_input_op, (output_shape, w, value), *options)


def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """`conv2d` with holes: the elements of a window lie `rate` pixels apart."""
    return convolution(value, filters, padding, dilation_rate=[rate, rate], name=name)


# ---- sequences ---------------------------------------------------------------------------


def _flat_format(data_format: str | None) -> tuple[str, int]:
    """The layout of images one row high, and where the axis of rows stands in it."""
    if data_format in (None, "NWC", "NHWC"):
        return "NHWC", 1
    if data_format in ("NCW", "NCHW"):
        return "NCHW", 2
    raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Slides filters along sequences.

    Args:
      value: [batch, width, channels], or [batch, channels, width] for NCW. Also `input`.
      filters: [width, channels, features].
      stride: a number.
      padding: "SAME" or "VALID".
      use_cudnn_on_gpu: accepted.
      data_format: "NWC" or "NCW".
      name: the name.
      dilations: a number.
    """
    value = one_of("input", input, "value", value)
    with name_scope(name, "conv1d", [value, filters]) as scope:
        layout, axis = _flat_format(data_format)
        images = (expand_dims(value, axis), expand_dims(filters, 0))
        steps, holes = (
            one_row_high(stride, "stride", layout),
            one_row_high(dilations, "dilations", layout),
        )
        return squeeze(
            _apply(conv_ops.conv2d_op, images, steps, padding, layout, holes, scope), [axis]
        )


# ---- any rank ----------------------------------------------------------------------------


def convolution(
    input: Any,
    filter: Any = None,
    padding: Any = None,
    strides: Sequence[int] | None = None,
    dilation_rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """A convolution along one or two axes, as the rank of `input` says.

    Args:
      input: [batch, *space, channels], or [batch, channels, *space] with an "NC..." format.
      filter: [*window, channels, features]. Also `filters`.
      padding: "SAME" or "VALID".
      strides: a number for each axis of space.
      dilation_rate: a number for each axis of space. Also `dilations`.
      name: the name.
      data_format: "N...C" or "NC...".
    Raises:
      ValueError: when strides and dilations are both above 1.
    """
    w = one_of("filters", filters, "filter", filter)
    dilation = one_of("dilations", dilations, "dilation_rate", dilation_rate)
    with name_scope(name, "convolution", [input, w]) as scope:
        input = convert_to_tensor(input, name="input")
        w = convert_to_tensor(w, name="filter")
        rank = input.shape.ndims if input.shape.ndims is not None else w.shape.ndims
        if rank is None:
            raise ValueError("rank of input or filter must be known")
        if rank not in (3, 4):
            raise ValueError(
                f"num_spatial_dims must be 1 or 2. Received: num_spatial_dims={rank - 2}. minitf "
                "convolves sequences and images."
            )
        both = [step for step in (strides, dilation) if step is not None]
        if len(both) == 2 and all(max(_numbers(step)) > 1 for step in both):
            raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
        if dilation is not None and min(_numbers(dilation)) < 1:
            raise ValueError("dilation_rate must be positive")
        if rank == 3:
            return conv1d(
                input, w, strides, padding, data_format=data_format, dilations=dilation, name=scope
            )
        return _apply(
            conv_ops.conv2d_op, (input, w), strides, padding, data_format, dilation, scope
        )


def _numbers(value: Any) -> list[int]:
    return [int(v) for v in value] if isinstance(value, (list, tuple)) else [int(value)]

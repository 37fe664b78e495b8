"""What networks are made of, in the argument orders of `tf.keras.backend`.

Layouts are "channels_last", [batch, *space, channels], and "channels_first".
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import activations, array_joining, array_padding
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze, transpose
from minitf.core.ops.array_slicing import boolean_mask, sequence_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, where
from minitf.core.ops.math import log, negative
from minitf.library.images.image_resize import resize_bilinear, resize_nearest_neighbor
from minitf.library.keras.backend.arithmetic import batch_dot, repeat_elements
from minitf.library.keras.backend.config import epsilon
from minitf.library.keras.backend.values import int_shape, ndim
from minitf.library.keras.backend.windows import normalize_data_format, op_format
from minitf.library.nets import basics, convolution, ctc, depthwise, pooling
from minitf.library.nets import normalization as norms
from minitf.library.numeric.clip import clip_by_value
from minitf.library.sparse.sparse import sparse_tensor_to_dense

# ---- activations ---------------------------------------------------------------------------


def relu(x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0.0) -> Tensor:
    """The rectified linear function: `x` from `threshold` to `max_value`.

    Args:
      x: a tensor.
      alpha: the slope below the threshold: `alpha * (x - threshold)`.
      max_value: what larger values become; None: they stay.
      threshold: below it values are 0, or sloped.

    Example:
      >>> sess.run(tf.keras.backend.relu(tf.constant([-2.0, 0.5, 9.0]), alpha=0.5, max_value=4.0))
      array([-1. ,  0.5,  4. ], dtype=float32)
    """
    if alpha != 0 and max_value is None and threshold == 0:
        return activations.leaky_relu(x, alpha)
    below = None
    if alpha != 0:
        below = activations.relu(threshold - x if threshold != 0 else negative(x))
    if threshold != 0:
        x = x * cast(greater(x, threshold), x.dtype)
    elif max_value == 6:
        x, max_value = activations.relu6(x), None
    else:
        x = activations.relu(x)
    if max_value is not None:
        x = clip_by_value(x, cast(0, x.dtype), cast(max_value, x.dtype))
    return x if below is None else x - cast(alpha, x.dtype) * below


def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """x where it is positive, `alpha * (exp(x) - 1)` elsewhere."""
    result = activations.elu(x)
    return result if alpha == 1 else where(greater(x, 0.0), result, alpha * result)


def hard_sigmoid(x: Any) -> Tensor:
    """0.2 * x + 0.5, between 0 and 1: a sigmoid of straight lines."""
    line = x * cast(0.2, x.dtype) + cast(0.5, x.dtype)
    return clip_by_value(line, cast(0.0, x.dtype), cast(1.0, x.dtype))


def softmax(x: Any, axis: int = -1) -> Tensor:
    """exp(x) divided by its sum along an axis."""
    return activations.softmax(x, axis)


def dropout(x: Any, level: float, noise_shape: Any = None, seed: int | None = None) -> Tensor:
    """Sets the part `level` of the values to 0 and scales up the others."""
    return basics.dropout(x, rate=level, noise_shape=noise_shape, seed=seed)


def l2_normalize(x: Any, axis: Any = None) -> Tensor:
    """`x` divided by its Euclidean norm along an axis."""
    return basics.l2_normalize(x, axis)


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Tensor:
    """Adds a bias: a number for each channel, or a number for each channel and place.

    Raises:
      ValueError: when the bias has neither rank 1 nor one less than `x`.
    """
    first = normalize_data_format(data_format) == "channels_first"
    rank, own = ndim(x) or 0, ndim(bias) or 0
    if own not in (1, rank - 1):
        raise ValueError(
            f"Unexpected bias dimensions {own}, expect to be 1 or {rank - 1} dimensions"
        )
    if own == 1:
        return basics.bias_add(x, bias, "NCHW" if first and rank > 2 else "NHWC")
    *space, channels = int_shape(bias) or ()
    return x + reshape(bias, [1, channels, *space] if first else [1, *space, channels])


# ---- normalization -------------------------------------------------------------------------


def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 1e-3
) -> Tensor:
    """(x - mean) / sqrt(var + epsilon) * gamma + beta.

    Args:
      x: a tensor.
      mean, var: the statistics; beta, gamma: shift and factor; all of shapes that broadcast.
      axis: accepted.
      epsilon: added to the variance.
    """
    return norms.batch_normalization(x, mean, var, beta, gamma, epsilon)


def normalize_batch_in_training(
    x: Any, gamma: Any, beta: Any, reduction_axes: Sequence[int], epsilon: float = 1e-3
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes by the mean and variance of the batch; returns the result and these two."""
    mean, var = basics.moments(x, list(reduction_axes))
    sizes = [1 if i in reduction_axes else size for i, size in enumerate(int_shape(x) or ())]
    m, v, b, g = (
        None if each is None else reshape(each, sizes) for each in (mean, var, beta, gamma)
    )
    return norms.batch_normalization(x, m, v, b, g, epsilon), mean, var


# ---- convolution ---------------------------------------------------------------------------


def _options(x: Any, padding: str, data_format: str | None) -> dict[str, Any]:
    """The padding and the layout, as operations name them."""
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    layout = op_format(normalize_data_format(data_format), ndim(x) or 0)
    return {"padding": padding.upper(), "data_format": layout}


def _steps(numbers: Sequence[int], layout: str) -> list[int]:
    """A number for each axis of space as numbers for all axes of a layout."""
    return [1, 1, *numbers] if layout.startswith("NC") else [1, *numbers, 1]


def _convolution(x: Any, kernel: Any, steps: Any, rate: Any, padding: str, layout: Any) -> Tensor:
    options = _options(x, padding, layout)
    return convolution.convolution(x, kernel, strides=steps, dilation_rate=rate, **options)


def conv1d(
    x: Any,
    kernel: Any,
    strides: int = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: int = 1,
) -> Tensor:
    """Slides filters along sequences; padding is "same", "valid" or "causal"."""
    if padding == "causal":
        before = dilation_rate * ((int_shape(kernel) or (1,))[0] - 1)
        x, padding = temporal_padding(x, (before, 0)), "valid"
    return _convolution(x, kernel, [strides], [dilation_rate], padding, data_format)


def conv2d(
    x: Any,
    kernel: Any,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """Slides filters over images; padding is "same" or "valid"."""
    return _convolution(x, kernel, strides, dilation_rate, padding, data_format)


def conv3d(
    x: Any,
    kernel: Any,
    strides: Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1, 1),
) -> Tensor:
    """Slides filters over volumes; padding is "same" or "valid"."""
    return _convolution(x, kernel, strides, dilation_rate, padding, data_format)


def conv2d_transpose(
    x: Any, kernel: Any, output_shape: Any, strides: Sequence[int] = (1, 1), padding: str = "valid",
    data_format: str | None = None, dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:  # fmt: skip
    """The transpose of `conv2d`; `output_shape` is that of the result."""
    options = _options(x, padding, data_format)
    if isinstance(output_shape, (tuple, list)):
        known = [shape_of(x)[0] if size is None else size for size in output_shape]
        output_shape = array_joining.stack(known)
    if tuple(dilation_rate) != (1, 1):
        rate, padding = dilation_rate[0], options["padding"]
        return convolution.atrous_conv2d_transpose(x, kernel, output_shape, rate, padding)
    steps = _steps(strides, options["data_format"])
    return convolution.conv2d_transpose(x, kernel, output_shape, steps, **options)


def depthwise_conv2d(
    x: Any,
    depthwise_kernel: Any,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """Slides over each channel of images the filters that belong to it."""
    options = _options(x, padding, data_format)
    steps = _steps(strides, options["data_format"])
    return depthwise.depthwise_conv2d(x, depthwise_kernel, steps, rate=dilation_rate, **options)


def separable_conv2d(
    x: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Sequence[int] = (1, 1),
    padding: str = "valid", data_format: str | None = None, dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:  # fmt: skip
    """A depthwise convolution, and then a mixture of the channels at each pixel."""
    options = _options(x, padding, data_format)
    steps = _steps(strides, options["data_format"])
    kernels = depthwise_kernel, pointwise_kernel
    return depthwise.separable_conv2d(x, *kernels, steps, rate=dilation_rate, **options)


def local_conv(
    inputs: Any,
    kernel: Any,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    output_shape: Sequence[int],
    data_format: str | None = None,
) -> Tensor:
    """A convolution whose every place has weights of its own.

    Args:
      inputs: [batch, *space, channels], or channels second.
      kernel: [places, window * channels, filters].
      kernel_size, strides: a number for each axis of space.
      output_shape: how many places there are along each.
      data_format: the layout.
    """
    first = normalize_data_format(data_format) == "channels_first"
    _, features, filters = int_shape(kernel) or ()
    rows = []
    for place in itertools.product(*map(range, output_shape)):
        parts = zip(place, strides, kernel_size, strict=True)
        window = [slice(at * step, at * step + size) for at, step, size in parts]
        whole = [slice(None)] * (2 if first else 1)
        rows.append(reshape(inputs[(*whole, *window)], [1, -1, features]))
    result = batch_dot(array_joining.concat(rows, 0), kernel)
    result = reshape(result, [*output_shape, -1, filters])
    n = len(output_shape)
    return transpose(result, [n, n + 1, *range(n)] if first else [n, *range(n), n + 1])


def local_conv1d(
    inputs: Any, kernel: Any, kernel_size: Any, strides: Any, data_format: str | None = None
) -> Tensor:
    """`local_conv` along sequences."""
    places = (int_shape(kernel) or ())[:1]
    return local_conv(inputs, kernel, kernel_size, strides, places, data_format)


def local_conv2d(
    inputs: Any,
    kernel: Any,
    kernel_size: Any,
    strides: Any,
    output_shape: Any,
    data_format: str | None = None,
) -> Tensor:
    """`local_conv` over images."""
    return local_conv(inputs, kernel, kernel_size, strides, output_shape, data_format)


# ---- pooling, margins, sizes ---------------------------------------------------------------


def _pool(x: Any, window: Any, steps: Any, padding: str, layout: Any, mode: str) -> Tensor:
    if mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {mode}")
    for name, given in (("pool_size", window), ("strides", steps)):
        if len(given) != (ndim(x) or 0) - 2:
            raise ValueError(f"`{name}` must be a tuple of {(ndim(x) or 0) - 2} integers.")
    options = _options(x, padding, layout)
    function = {"max": pooling.max_pool_v2, "avg": pooling.avg_pool_v2}[mode]
    window, steps = (_steps(each, options["data_format"]) for each in (window, steps))
    return function(x, window, steps, **options)


def pool2d(
    x: Any,
    pool_size: Sequence[int],
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """The largest ("max") or the mean ("avg") of each window of images."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


def pool3d(
    x: Any,
    pool_size: Sequence[int],
    strides: Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """The largest ("max") or the mean ("avg") of each window of volumes."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


def spatial_padding(x: Any, padding: Sequence[Any], data_format: str | None = None) -> Tensor:
    """A margin of zeros: (before, after) for each axis of space."""
    first = normalize_data_format(data_format) == "channels_first"
    margins = [(0, 0), (0, 0), *padding] if first else [(0, 0), *padding, (0, 0)]
    return array_padding.pad(x, [list(each) for each in margins])


def temporal_padding(x: Any, padding: Sequence[int] = (1, 1)) -> Tensor:
    """Zeros before and after sequences [batch, time, features]."""
    return spatial_padding(x, [padding], "channels_last")


def spatial_2d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None
) -> Tensor:
    """A margin of zeros around images: ((top, bottom), (left, right))."""
    return spatial_padding(x, padding, data_format)


def spatial_3d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Tensor:
    """A margin of zeros around volumes."""
    return spatial_padding(x, padding, data_format)


_RESIZES = {"nearest": resize_nearest_neighbor, "bilinear": resize_bilinear}


def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Tensor:
    """Makes images larger by whole factors; `interpolation` is "nearest" or "bilinear".

    Raises:
      ValueError: for another layout or interpolation.
    """
    first = normalize_data_format(data_format) == "channels_first"
    if interpolation not in _RESIZES:
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    if first:
        x = transpose(x, [0, 2, 3, 1])
    known = (int_shape(x) or ())[1:3]
    sizes = shape_of(x)[1:3] if None in known else known
    larger = [sizes[0] * height_factor, sizes[1] * width_factor]
    result = _RESIZES[interpolation](x, larger, half_pixel_centers=True)
    return transpose(result, [0, 3, 1, 2]) if first else result


def resize_volumes(
    x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Tensor:
    """Makes volumes larger by whole factors; each element is repeated."""
    start = 2 if normalize_data_format(data_format) == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), start):
        x = repeat_elements(x, factor, axis)
    return x


# ---- connectionist temporal classification -------------------------------------------------


def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> SparseTensor:
    """The first `label_lengths` labels of each row of [batch, most labels], as a sparse tensor."""
    sizes = shape_of(labels)
    inside = sequence_mask(label_lengths, sizes[1])
    indices = where(inside)
    values = boolean_mask(labels, inside)
    return SparseTensor(indices, values, cast(sizes, dtypes.int64))


def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Tensor:
    """The CTC loss of each example, [batch, 1].

    Args:
      y_true: [batch, most labels] the labels.
      y_pred: [batch, time, classes] the probabilities; the last class is the blank.
      input_length: [batch, 1] how many moments each example has.
      label_length: [batch, 1] how many labels.
    """
    lengths = cast(squeeze(input_length, [-1]), dtypes.int32)
    sparse = ctc_label_dense_to_sparse(y_true, cast(squeeze(label_length, [-1]), dtypes.int32))
    labels = SparseTensor(sparse.indices, cast(sparse.values, dtypes.int32), sparse.dense_shape)
    logits = log(transpose(y_pred, [1, 0, 2]) + epsilon())
    return expand_dims(ctc.ctc_loss(labels, logits, lengths), 1)


def ctc_decode(
    y_pred: Any, input_length: Any, greedy: bool = True, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[Tensor], Tensor]:
    """The most probable labels of each example, with -1 behind the last, and their scores.

    Args:
      y_pred: [batch, time, classes] the probabilities; the last class is the blank.
      input_length: [batch] how many moments each example has.
      greedy: whether only the best class of each moment is looked at.
      beam_width: how many labellings the other search keeps.
      top_paths: how many it gives.
    """
    sizes = shape_of(y_pred)
    logits = log(transpose(y_pred, [1, 0, 2]) + epsilon())
    lengths = cast(input_length, dtypes.int32)
    if greedy:
        decoded, score = ctc.ctc_greedy_decoder(logits, lengths)
    else:
        decoded, score = ctc.ctc_beam_search_decoder(logits, lengths, beam_width, top_paths)
    whole = cast(sizes[:2], dtypes.int64)
    found = [SparseTensor(each.indices, each.values, whole) for each in decoded]
    return [sparse_tensor_to_dense(each, default_value=-1) for each in found], score

"""`tf.nn.with_space_to_batch`: windows with holes, of an operation whose windows have none.

Pixels that lie `rate` apart become neighbours in an image of their own, in the batch; there the
operation slides its windows, and the images are put together again.

    a b a b
    c d c d   ──rate [2, 2]──>   a a   b b   c c   d d
    a b a b                      a a   b b   c c   d d
    c d c d
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat, stack
from minitf.library.numeric.rearranging import (
    batch_to_space_nd,
    required_space_to_batch_paddings,
    space_to_batch_nd,
)


def _spatial(count: int, spatial_dims: Any, data_format: str | None) -> list[int]:
    """The axes of space.

    Raises:
      ValueError: when they do not rise, or the batch is among them.
    """
    first = 2 if (data_format or "").startswith("NC") else 1
    given = list(range(first, first + count) if spatial_dims is None else spatial_dims)
    axes = sorted({int(axis) for axis in given})
    if axes != given or any(axis < 1 for axis in axes):
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
            f"Received: spatial_dims={given}"
        )
    return axes


def _margins(padding: Any, filter_shape: Any, rate: Any, count: int, data_format: Any) -> Any:
    """What to add before and behind, [count, 2], so that no further margin is needed.

    Raises:
      ValueError: when "SAME" has no size of the window to go by, or the padding is none.
    """
    if isinstance(padding, (list, tuple)):
        pairs = np.reshape(np.array(padding), (count + 2, 2))
        return pairs[2:] if (data_format or "").startswith("NC") else pairs[1:-1]
    if padding == "VALID":
        return np.zeros((count, 2), np.int32)
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError(
            "`filter_shape` must be specified for `padding='SAME'`. "
            f"Received: filter_shape={filter_shape} and padding={padding}"
        )
    window = convert_to_tensor(filter_shape, name="filter_shape")
    known = constant_value(window)
    sizes = (window if known is None else known)[:count]
    extra = (sizes - 1) * rate
    before = extra // 2
    return stack([[before[i], extra[i] - before[i]] for i in range(count)])


def _on_all_axes(values: Any, fill: int, axes: Sequence[int]) -> Any:
    """Rows for the axes of space, with rows of `fill` for those that lie between them."""
    known = constant_value(values) if isinstance(values, Tensor) else np.asarray(values)
    width = values.shape.as_list()[1:]
    whole = np.full((axes[-1], *width), fill, np.int32)
    if known is not None:
        whole[[axis - 1 for axis in axes]] = known
        return whole
    rows, place = [], dict(zip(axes, range(len(axes)), strict=True))
    for axis in range(1, axes[-1] + 1):
        at = place.get(axis)
        rows.append(whole[axis - 1 : axis] if at is None else values[at : at + 1])
    return concat(rows, 0)


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Tensor, int, str], Tensor],
    filter_shape: Any = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Applies `op` to pixels that lie apart, as if its windows had holes.

    Args:
      input: [batch, ...].
      dilation_rate: [n]: for each axis of space, the distance between the elements of a window.
      padding: "SAME" or "VALID", or a pair of margins for each dimension.
      op: `(images, n, padding) -> images`, with windows that move by 1. Unless all rates are 1, it
        gets "VALID".
      filter_shape: [n, ...] the sizes of its windows, for "SAME".
      spatial_dims: the axes of space; the n that follow the batch, or with "NC..." the channels.
      data_format: "N...C" or "NC...".
    Raises:
      ValueError: when rates, axes or padding do not fit.
    Example:
      >>> images = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
      >>> op = lambda x, n, padding: tf.nn.max_pool(x, 2, 1, padding)
      >>> sess.run(tf.nn.with_space_to_batch(images, [2, 2], "VALID", op))[0, :, :, 0]
      array([[10., 11.],
             [14., 15.]], dtype=float32)
    """
    images = convert_to_tensor(input, name="input")
    rate = convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate")
    if rate.shape.ndims not in (None, 1):
        raise ValueError(
            f"`dilation_rate.shape.rank` must be 1. Received: dilation_rate={rate} of rank "
            f"{rate.shape.ndims}"
        )
    if not rate.shape.is_fully_defined():
        raise ValueError(
            f"`dilation_rate.shape` must be fully defined. Received: dilation_rate={rate} with "
            f"shape {rate.shape}"
        )
    count = rate.shape.as_list()[0]
    axes = _spatial(count, spatial_dims, data_format)
    channels_first = (data_format or "").startswith("NC")
    least = axes[-1] + (not channels_first)
    if images.shape.ndims is not None and images.shape.ndims < least:
        raise ValueError(
            f"`input.shape.rank` must be at least {least}. Received: "
            f"input.shape={images.shape} with rank {images.shape.ndims}"
        )
    known = constant_value(rate)
    if known is not None and (known < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={known}")
    if known is not None and (known == 1).all():
        return op(images, count, padding)
    margins = _margins(padding, filter_shape, rate if known is None else known, count, data_format)
    return _apart(images, rate, margins, axes, lambda x: op(x, count, "VALID"))


def _apart(
    images: Tensor, rate: Tensor, margins: Any, axes: Sequence[int], op: Callable[[Tensor], Tensor]
) -> Tensor:
    """Takes the images apart, applies `op`, and puts what it gives together."""
    sizes: Any = None
    if images.shape.ndims is not None:
        whole = images.shape.as_list()
        sizes = [whole[axis] for axis in axes]
    if sizes is None or None in sizes:
        dynamic = shape_of(images)
        sizes = stack([dynamic[axis] for axis in axes])
    paddings, crops = required_space_to_batch_paddings(sizes, rate, margins)
    block = _on_all_axes(rate, 1, axes)
    parts = space_to_batch_nd(images, block, _on_all_axes(paddings, 0, axes))
    return batch_to_space_nd(op(parts), block, _on_all_axes(crops, 0, axes))

"""The arithmetic of `tf.keras.backend`: TensorFlow's operations in the argument orders of Keras.

What only renames an operation, as `square`, has no function here: it is a line in the stub.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_joining, array_shaping, reductions
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.cast import cast
from minitf.core.ops.examples import named
from minitf.core.ops.linalg import matmul
from minitf.library.keras.backend.config import floatx
from minitf.library.keras.backend.values import int_shape, is_sparse, ndim
from minitf.library.numeric.clip import clip_by_value
from minitf.library.sparse.sparse_shaping import sparse_concat

# ---- products ------------------------------------------------------------------------------


def _sizes(x: Any) -> list:
    """The sizes of a tensor: numbers where they are known."""
    known, sizes = int_shape(x) or (), array_joining.unstack(shape_of(x))
    return [size if number is None else number for number, size in zip(known, sizes, strict=True)]


def batch_dot(x: Any, y: Any, axes: Any = None) -> Tensor:
    """The product of each example of `x` with the same example of `y`.

    Args:
      x: [batch, ...], of rank 2 or more.
      y: [batch, ...], of rank 2 or more.
      axes: the axis of `x` and that of `y` to sum over, or one number for both; by default the
        last of `x`, and the last but one of `y`. Axes before the last two that have the same
        sizes are part of the batch.

    Raises:
      ValueError: when ranks, batch sizes or the sizes of the axes do not fit.
    Example:
      >>> x, y = tf.zeros([8, 2, 3]), tf.zeros([8, 4, 3])
      >>> tf.keras.backend.batch_dot(x, y, axes=2).shape.as_list()
      [8, 2, 4]
    """
    first, second = int_shape(x) or (), int_shape(y) or ()
    if len(first) < 2 or len(second) < 2:
        raise ValueError(
            "Cannot do batch_dot on inputs with rank < 2. Received inputs with shapes "
            f"{first} and {second}."
        )
    if None not in (first[0], second[0]) and first[0] != second[0]:
        raise ValueError(
            "Cannot do batch_dot on inputs with different batch sizes. Received inputs with "
            f"shapes {first} and {second}."
        )
    if axes is None:
        axes = [len(first) - 1, len(second) - (1 if len(second) == 2 else 2)]
    axes = [axes, axes] if isinstance(axes, int) else list(axes)
    if any(isinstance(axis, (list, tuple)) for axis in axes):
        raise ValueError(
            "Multiple target dimensions are not supported. Expected: None, int, (int, int), "
            f"Provided: {axes}"
        )
    a, b = axes = [axes[0] % len(first), axes[1] % len(second)]
    if 0 in axes:
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy "
            "batch dimension to your inputs using K.expand_dims(x, 0)"
        )
    if None not in (first[a], second[b]) and first[a] != second[b]:
        raise ValueError(
            f"Cannot do batch_dot on inputs with shapes {first} and {second} with axes={axes}. "
            f"x.shape[{a}] != y.shape[{b}] ({first[a]} != {second[b]})."
        )
    if len(second) > 3 and len(first) <= len(second):  # as 1.15: axes that agree are batches
        more = range(len(first), len(second))
        wide = (*first, *(1 for _ in more))
        if all(n == m for n, m in zip(wide[1:-2], second[1:-2])):
            x = array_shaping.reshape(x, [*_sizes(x), *(1 for _ in more)]) if more else x
            result = matmul(x, y, a != len(second) - 1, b == len(second) - 1)
            return array_shaping.squeeze(result, [axis - 1 for axis in more]) if more else result
    # [batch, left, sum] times [batch, sum, right], and the other axes put back
    left = [axis for axis in range(1, len(first)) if axis != a]
    right = [axis for axis in range(1, len(second)) if axis != b]
    if a != len(first) - 1:
        x = array_shaping.transpose(x, [0, *left, a])
    if b != 1:
        y = array_shaping.transpose(y, [0, b, *right])
    if len(left) == 1 and len(right) == 1:
        return matmul(x, y)
    known = [*(_sizes(x)[:-1]), *(_sizes(y)[2:])]
    x = array_shaping.reshape(x, [*_sizes(x)[:1], -1, first[a] or _sizes(x)[-1]])
    y = array_shaping.reshape(y, [*_sizes(y)[:2], -1])
    result = array_shaping.reshape(matmul(x, y), known)
    return array_shaping.expand_dims(result, 1) if not left and not right else result


# ---- reductions ----------------------------------------------------------------------------


def _reduction(name: str, op: Any, sentence: str, as_float: bool = False) -> Any:
    """Makes a reduction as Keras calls it: `sum(x, axis=None, keepdims=False)`."""

    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        if op in (reductions.reduce_any, reductions.reduce_all):
            x = cast(x, dtypes.bool)
        elif as_float and x.dtype.base_dtype == dtypes.bool:
            x = cast(x, floatx())
        return op(x, axis, keepdims)

    doc = f"""{sentence}

    Args:
      x: a tensor.
      axis: what to reduce over: an axis, a list of them, or None for all.
      keepdims: whether the axes stay, with size 1.
    """
    return named(reduce, name, doc)


sum_ = _reduction("sum", reductions.reduce_sum, "The sum along axes.")
max_ = _reduction("max", reductions.reduce_max, "The largest value along axes.")
mean = _reduction("mean", reductions.reduce_mean, "The mean along axes.", as_float=True)
std = _reduction("std", reductions.reduce_std, "The standard deviation along axes.", as_float=True)


def argmax(x: Any, axis: int = -1) -> Tensor:
    """Where the largest value along an axis is."""
    return reductions.argmax(x, axis)


# ---- shapes --------------------------------------------------------------------------------


def concatenate(tensors: Sequence[Any], axis: int = -1) -> Any:
    """Tensors side by side along an axis."""
    if axis < 0:
        axis %= ndim(tensors[0]) or 1
    if all(map(is_sparse, tensors)):
        return sparse_concat(axis, tensors)
    return array_joining.concat(list(tensors), axis)


def flatten(x: Any) -> Tensor:
    """All elements in one axis."""
    return array_shaping.reshape(x, [-1])


def repeat(x: Any, n: int) -> Tensor:
    """[batch, size] as [batch, n, size]."""
    return array_shaping.tile(array_shaping.expand_dims(x, 1), [1, n, 1])


def repeat_elements(x: Any, rep: int, axis: int) -> Tensor:
    """Each slice of an axis `rep` times, one after the other.

    Example:
      >>> sess.run(tf.keras.backend.repeat_elements(tf.constant([1, 2]), 2, axis=0))
      array([1, 1, 2, 2], dtype=int32)
    """
    known = int_shape(x) or ()
    if known[axis] is not None:
        parts = array_joining.split(x, known[axis], axis)
        return array_joining.concat([part for part in parts for _ in range(rep)], axis)
    axis %= len(known)
    sizes = _sizes(x)
    times = [rep if i == axis + 1 else 1 for i in range(len(known) + 1)]
    tiled = array_shaping.tile(array_shaping.expand_dims(x, axis + 1), times)
    made = array_shaping.reshape(tiled, [*sizes[:axis], sizes[axis] * rep, *sizes[axis + 1 :]])
    made.set_shape(x.shape)
    return made


# ---- others --------------------------------------------------------------------------------


def clip(x: Any, min_value: Any, max_value: Any) -> Tensor:
    """The values between two limits; None is no limit."""
    both = isinstance(min_value, (int, float)) and isinstance(max_value, (int, float))
    if both and max_value < min_value:
        max_value = min_value
    low = float("-inf") if min_value is None else min_value
    return clip_by_value(x, low, float("inf") if max_value is None else max_value)

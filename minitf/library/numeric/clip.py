"""Clipping: of values to a range or to what a dtype holds, and of gradients to a norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.op_def import call
from minitf.core.graph.stacks import colocate_with, name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, select_op
from minitf.core.ops.math import maximum, minimum, sqrt
from minitf.core.ops.reductions import reduce_sum


def _values_of(x: Any) -> Any:
    """The rows of an `IndexedSlices`; anything else as it is."""
    return x.values if _is_slices(x) else x


def _is_slices(x: Any) -> bool:
    return hasattr(x, "indices") and hasattr(x, "values")


def _like(x: Any, values: Tensor) -> Any:
    return type(x)(values, x.indices, x.dense_shape) if _is_slices(x) else values


def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Any:
    """Limits every element to a range.

    Args:
      t: a tensor or an `IndexedSlices`.
      clip_value_min: the lower limit, a scalar or of the shape of `t`.
      clip_value_max: the upper limit, a scalar or of the shape of `t`.
      name: the operation's name.
    Raises:
      ValueError: when a limit would make the result larger than `t`.
    Example:
      >>> sess.run(tf.clip_by_value([-2., 0.5, 3.], 0., 1.))
      array([0. , 0.5, 1. ], dtype=float32)
    """
    with name_scope(name, "clip_by_value") as scope:
        values = convert_to_tensor(_values_of(t), name="t")
        below = minimum(values, clip_value_max)
        values.shape.merge_with(below.shape)
        clipped = maximum(below, clip_value_min, name=scope)
        values.shape.merge_with(clipped.shape)
        return _like(t, clipped)


def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: Any = None, name: str | None = None
) -> Any:
    """Scales a tensor down to a Euclidean norm; one that is short enough stays as it is.

    Args:
      t: a tensor or an `IndexedSlices`.
      clip_norm: the largest norm, a scalar.
      axes: the axes that the norm is taken over; all of them when None.
      name: the operation's name.
    Example:
      >>> sess.run(tf.clip_by_norm([3.0, 4.0], 1.0))
      array([0.6, 0.8], dtype=float32)
    """
    with name_scope(name, "clip_by_norm") as scope:
        values = convert_to_tensor(_values_of(t), name="t")
        squares = reduce_sum(values * values, axes, keepdims=True)
        positive = greater(squares, 0)  # the square root of 0 has no gradient
        safe = select_op(positive, squares, ones_like(squares))
        norm = select_op(positive, sqrt(safe), squares)
        scaled = values * clip_norm
        values.shape.merge_with(scaled.shape)
        clipped = identity(scaled / maximum(norm, clip_norm), name=scope)
        return _like(t, clipped)


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """Computes the Euclidean norm of all tensors of a list together.

    Args:
      t_list: tensors, `IndexedSlices`, and None, which counts as nothing.
      name: the operation's name.
    Raises:
      TypeError: when `t_list` is not a sequence.
    """
    _check_sequence(t_list)
    with name_scope(name, "global_norm"):
        values = [_named_tensor(t, i) for i, t in enumerate(t_list)]
        halves = []
        for value in values:
            if value is not None:
                with colocate_with(value):
                    halves.append(call("L2Loss", value))
        total = reduce_sum(call("Pack", halves, axis=0, name="stack"))
        return sqrt(total * constant(2.0, dtype=total.dtype.base_dtype), name="global_norm")


def _check_sequence(t_list: Any) -> None:
    if isinstance(t_list, (str, bytes)) or not isinstance(t_list, Sequence):
        raise TypeError("t_list should be a sequence")


def _named_tensor(t: Any, index: int) -> Tensor | None:
    return None if t is None else convert_to_tensor(_values_of(t), name=f"t_{index}")


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: TensorLike, use_norm: Any = None, name: str | None = None
) -> tuple[list, Tensor]:
    """Scales the tensors of a list down together, so that their global norm is at most `clip_norm`.

    The direction of the whole stays the same, as `clip_by_norm` of each would not keep it.

    Args:
      t_list: tensors, `IndexedSlices`, and None, which stays None.
      clip_norm: the largest global norm, a scalar.
      use_norm: the global norm, when it is known already.
      name: the operations' scope.
    Returns: the list of scaled tensors, and the global norm before.
    Example:
      >>> clipped, norm = tf.clip_by_global_norm([[3.0], [4.0]], 1.0)
      >>> sess.run(norm)
      5.0
      >>> sess.run(clipped)
      [array([0.6], dtype=float32), array([0.8], dtype=float32)]
    """
    _check_sequence(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with name_scope(name, "clip_by_global_norm") as scope:
        one = constant(1.0, dtype=use_norm.dtype)
        scale = clip_norm * minimum(1.0 / use_norm, one / clip_norm)
        scale = scale + (use_norm - use_norm)  # nan when the norm is not finite
        clipped: list = []
        for index, t in enumerate(t_list):
            value = _named_tensor(t, index)
            if value is None:
                clipped.append(None)
                continue
            with colocate_with(value):
                clipped.append(_like(t, identity(value * scale, name=f"{scope}_{index}")))
        return clipped, use_norm


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Casts after clipping to the range of the new dtype, so that nothing wraps around.

    Example:
      >>> sess.run(tf.saturate_cast([-3., 300.], tf.uint8))
      array([  0, 255], dtype=uint8)
    """
    with name_scope(name, "saturate_cast") as scope:
        value = convert_to_tensor(value, name="value")
        base = dtypes.as_dtype(dtype).base_dtype
        source = value.dtype.base_dtype
        if source.min < base.min:
            value = call("Maximum", value, _limit(base.min, source, "min"))
        if source.max > base.max:
            value = call("Minimum", value, _limit(base.max, source, "max"))
        return cast(value, base, name=scope)


def _limit(limit: Any, source: dtypes.DType, name: str) -> Tensor:
    """A limit of one dtype as the nearest value of another that does not go past it."""
    number = np.asarray(limit).astype(source.numpy_dtype)
    if source.is_floating and abs(int(number)) > abs(int(limit)):
        number = np.nextafter(number, source.numpy_dtype.type(0))
    return convert_to_tensor(number, name=name)

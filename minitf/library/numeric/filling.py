"""Tensors made from a few numbers: even steps, one-hot vectors, masks of lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import DTypeLike, Tensor, TensorLike
from minitf.core.ops.array_filling import range_op
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less
from minitf.core.ops.elementwise import invalid, sample, shown
from minitf.core.ops.string_values import with_shape

# ---- LinSpace ----------------------------------------------------------------------------


@op(
    "LinSpace",
    "start: T, stop: T, num: Tidx -> output: T",
    host=("start", "stop", "num"),
    T=dtypes.FLOATS,
    Tidx=dtypes.INDICES,
    differentiable=False,
    samples=[sample(1.0, 4.0, np.int32(7)), sample(1.0, 4.0, np.int32(1))],
)
def linspace_op(xp: Any, start: Any, stop: Any, num: Any) -> Any:
    """Gives `num` evenly spaced numbers from `start` to `stop`, both included."""
    return xp.linspace(start, stop, int(num), dtype=start.dtype)


@linspace_op.shape
def _linspace_shape(start: Any, stop: Any, num: Any) -> Any:
    if num.value is None:
        return unknown_shape(1)
    if num.value <= 0:
        raise ValueError(f"Requires num > 0: {num.value}")
    return TensorShape((int(num.value),))


def linspace(start: TensorLike, stop: TensorLike, num: Any, name: str | None = None) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start: the first number, a float.
      stop: the last.
      num: how many, an integer.
      name: the operation's name.
    Example:
      >>> sess.run(tf.linspace(0., 1., 5))
      array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    return linspace_op(start, stop, num, name=name)


# ---- OneHot ------------------------------------------------------------------------------


@op(
    "OneHot",
    "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
    batch="axis first",
    host=("depth",),
    TI=(dtypes.uint8, dtypes.int8, *dtypes.INDICES),
    differentiable=False,
    samples=[
        sample(np.array([0, 2, -1], np.int32), np.int32(3), 1.0, 0.0),
        sample(np.array([[0, 2]], np.int64), np.int32(4), 5.0, -1.0, axis=0),
        sample(np.array([[0, 2]], np.int64), np.int32(4), 5.0, -1.0, axis=1),
    ],
)
def one_hot_op(
    xp: Any, indices: Any, depth: Any, on_value: Any, off_value: Any, *, axis: int = -1
) -> Any:
    """Spreads each index over a new axis: `on_value` at its place, `off_value` elsewhere."""
    if depth.ndim or depth < 0:
        text = f"a scalar, but got: {shown(depth)}" if depth.ndim else f"non-negative, got: {depth}"
        raise invalid(f"depth must be {text}")
    hot = indices[..., None] == xp.arange(int(depth))
    if axis != -1:
        hot = xp.moveaxis(hot, -1, axis)
    return xp.where(hot, with_shape(on_value), with_shape(off_value))


@one_hot_op.shape
def _one_hot_shape(indices: Any, depth: Any, on_value: Any, off_value: Any, *, axis: int) -> Any:
    if axis < -1:
        raise ValueError("axis must be >= -1")
    if depth.shape.ndims not in (None, 0):
        raise ValueError(f"Input must be scalar but has rank {depth.shape.ndims}")
    if depth.value is not None and depth.value < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {depth.value}"
        )
    if indices.shape.ndims is None:
        return None
    sizes = indices.shape.as_list()
    if axis > len(sizes):
        raise ValueError(
            f"Expected axis to be -1 or between [0, {len(sizes) + 1}).  But received: {axis}"
        )
    sizes.insert(
        len(sizes) if axis == -1 else axis, None if depth.value is None else int(depth.value)
    )
    return TensorShape(sizes)


def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike = None,
    off_value: TensorLike = None,
    axis: int | None = None,
    dtype: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """Vectors of length `depth` with `on_value` (1) at the index and `off_value` (0) elsewhere.

    Args:
      indices: integers of any shape; an index outside [0, depth) gives a vector of `off_value`.
      depth: the size of the new axis.
      on_value: a scalar; 1 by default.
      off_value: a scalar of the same type; 0 by default.
      axis: where the new axis goes; the end by default.
      dtype: the type of the result; float32 unless the values say another.
      name: the name.
    Raises:
      TypeError: when the types of the values and `dtype` differ.
    Example:
      >>> sess.run(tf.one_hot([2, 0], 3))
      array([[0., 0., 1.],
             [1., 0., 0.]], dtype=float32)
    """
    with name_scope(name, "one_hot", [indices, depth, on_value, off_value]) as scope:
        given = {"on_value": on_value, "off_value": off_value}
        for argument, value in given.items():
            if value is not None:
                given[argument] = convert_to_tensor(value, dtype_hint=dtype)
        found = {k: v.dtype.base_dtype for k, v in given.items() if v is not None}
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        for argument, value_type in found.items():
            if wanted is not None and value_type != wanted:
                raise TypeError(
                    f"dtype {value_type} of {argument} does not match dtype parameter {wanted}"
                )
        if len(set(found.values())) == 2:
            raise TypeError(
                f"dtype {found['on_value']} of on_value does not match dtype "
                f"{found['off_value']} of off_value"
            )
        wanted = wanted or next(iter(found.values()), dtypes.float32)
        for argument, value in (("on_value", 1), ("off_value", 0)):
            if given[argument] is None:
                given[argument] = convert_to_tensor(value, wanted, name=argument)
        return one_hot_op(
            indices,
            depth,
            given["on_value"],
            given["off_value"],
            axis=-1 if axis is None else axis,
            name=scope,
        )


def sequence_mask(
    lengths: TensorLike, maxlen: Any = None, dtype: DTypeLike = dtypes.bool, name: str | None = None
) -> Tensor:
    """Rows that are true up to the given lengths.

    Args:
      lengths: integers of any shape.
      maxlen: the length of a row; the largest length by default.
      dtype: the type of the result.
      name: the name of the scope.
    Returns: a tensor of shape `lengths.shape + [maxlen]`.
    Example:
      >>> sess.run(tf.sequence_mask([1, 3], 4))
      array([[ True, False, False, False],
             [ True,  True,  True, False]])
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        counts = convert_to_tensor(lengths)
        if maxlen is None:
            longest = call("Max", counts, axis=None)
            maxlen = call("Maximum", constant(0, longest.dtype), longest)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.ndims not in (None, 0):
            raise ValueError("maxlen must be scalar for sequence_mask")
        zero, one = constant(0, maxlen.dtype), constant(1, maxlen.dtype)
        places = range_op(zero, maxlen, one, name="Range")
        result = less(places, call("Cast", expand_dims(counts, -1), DstT=maxlen.dtype))
        wanted = dtypes.as_dtype(dtype)
        return result if wanted == dtypes.bool else cast(result, wanted)

"""Fills, zeros and ones, ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.op_def import call, op, unchanged_shape
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import DTypeLike, ShapeLike, Tensor, TensorLike
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid, sample, shown

_SMALL = 1000  # elements: up to here zeros and ones are constants in the graph


def _is_sizes(value: Any) -> bool:
    listed = isinstance(value, np.ndarray) and value.ndim == 1
    return listed or isinstance(value, (list, tuple, TensorShape))


# ---- Fill, zeros, ones -------------------------------------------------------------------


@op(
    "Fill",
    "dims: Tshape, value: T -> output: T",
    host=("dims",),
    Tshape=dtypes.INDICES,
    samples=[sample(np.array([2, 3], np.int32), ()), sample(np.array([], np.int32), ())],
)
def fill_op(xp: Any, dims: Any, value: Any) -> Any:
    """Makes a tensor of shape `dims` whose elements all are `value`."""
    if dims.ndim > 1:
        raise invalid(f"dims must represent a vector, got shape {shown(dims)}")
    if not dims.size:
        return value
    if dims.min() < 0:
        raise invalid(f"Dimension {dims.min()} must be >= 0")
    return xp.full(dims.tolist(), value, getattr(value, "dtype", object))


@fill_op.shape
def _fill_shape(dims: Any, value: Any) -> Any:
    dims.shape.assert_has_rank(1)
    value.shape.assert_has_rank(0)
    known = dims.value
    if known is not None and known.size and known.min() < 0:
        raise ValueError("Fill dimensions must be >= 0")
    return dims.partial_shape


@fill_op.gradient
def _fill_grad(op: Any, dy: Tensor) -> list:
    return [None, call("Sum", dy, axis=None)]


def fill(dims: ShapeLike, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` whose elements all are `value`.

    Args:
      dims: the sizes, a list or a tensor of integers.
      value: a number, a bool or a string; its type is that of the result.
      name: the operation's name.
    Example:
      >>> sess.run(tf.fill([2, 2], 9))
      array([[9, 9],
             [9, 9]], dtype=int32)
    """
    return fill_op(dims, value, name=name)


def _filled(number: int, sizes: Any, dtype: Any, name: str | None, default_name: str) -> Tensor:
    """Zeros or ones: a constant if it is small and its shape known, else a Fill."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    value = {"bool": bool(number), "string": b""}.get(dtype.name, number)
    if number and dtype == dtypes.string:
        raise TypeError("Expected string, got 1 of type 'int' instead.")
    with name_scope(name, default_name) as scope:
        known = _known_sizes(sizes)
        if known is not None and _is_sizes(sizes) and known.num_elements() < _SMALL:
            return constant(np.full(known.as_list(), value, _numpy_type(dtype)), dtype, name=scope)
        if not isinstance(sizes, Tensor):
            is_packed = _is_sizes(sizes) and any(isinstance(s, Tensor) for s in sizes)
            sizes = convert_to_tensor(
                sizes if known is None else known,
                dtypes.int32 if known is None and not is_packed else None,
                name="packed" if is_packed else None,
            )
        if sizes.shape.ndims in (None, 0):
            sizes = reshape(sizes, [-1])
        return fill(sizes, constant(value, dtype), name=scope)


def _known_sizes(sizes: Any) -> TensorShape | None:
    """The shape of `sizes` if it is fully known; else None."""
    if isinstance(sizes, Tensor) or (
        _is_sizes(sizes) and any(isinstance(s, Tensor) for s in sizes)
    ):
        return None
    try:
        known = TensorShape(sizes)
    except (TypeError, ValueError):
        return None  # said better by who converts it to a tensor
    return known if known.is_fully_defined() else None


def _numpy_type(dtype: dtypes.DType) -> Any:
    return object if dtype == dtypes.string else dtype.as_numpy_dtype


def zeros(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of zeros (False, empty strings) in the given shape.

    Args:
      shape: the sizes, a list or a tensor of integers.
      dtype: the type of the elements.
      name: the operation's name.
    Example:
      >>> sess.run(tf.zeros([2, 3]))
      array([[0., 0., 0.],
             [0., 0., 0.]], dtype=float32)
    """
    return _filled(0, shape, dtype, name, "zeros")


def ones(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of ones (True) in the given shape.

    Args:
      shape: the sizes, a list or a tensor of integers.
      dtype: the type of the elements.
      name: the operation's name.
    Example:
      >>> sess.run(tf.ones([3], tf.int32))
      array([1, 1, 1], dtype=int32)
    """
    return _filled(1, shape, dtype, name, "ones")


@op(
    "ZerosLike",
    "x: T -> y: T",
    batch="each",
    cannot_fail=True,
    arithmetic="0",
    samples=[sample((2, 3)), sample(())],
)
def zeros_like_op(xp: Any, x: Any) -> Any:
    """Makes zeros in the shape and type of `x`."""
    zeros = xp.zeros(x.shape, x.dtype)
    return zeros if zeros.ndim else zeros[()]


zeros_like_op.shape(unchanged_shape)


@zeros_like_op.gradient
def _zeros_like_grad(op: Any, dy: Tensor) -> list:
    return [None]


def zeros_like(
    tensor: TensorLike, dtype: DTypeLike = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Zeros in the shape of `tensor`, and in its type unless `dtype` says another.

    With `optimize`, a constant where the static shape is known.

    Args:
      tensor: whose shape and type are taken.
      dtype: another type.
      name: the operation's name.
      optimize: whether a known shape makes a constant.
    Example:
      >>> sess.run(tf.zeros_like([[1, 2], [3, 4]]))
      array([[0, 0],
             [0, 0]], dtype=int32)
    """
    with name_scope(name, "zeros_like", [tensor]) as scope:
        like = convert_to_tensor(tensor, name="tensor")
        if hasattr(like, "with_flat_values"):  # a RaggedTensor
            return like.with_flat_values(zeros_like(like.flat_values, dtype))
        wanted = dtypes.as_dtype(dtype) if dtype else like.dtype.base_dtype
        if optimize and like.shape.is_fully_defined():
            return zeros(like.shape, wanted, name=scope)
        if wanted != like.dtype.base_dtype or wanted == dtypes.string:
            return zeros(shape_of(like, optimize=optimize), wanted, name=scope)
        return zeros_like_op(like, name=scope)


def ones_like(
    tensor: TensorLike, dtype: DTypeLike = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Ones in the shape of `tensor`, and in its type unless `dtype` says another.

    Args:
      tensor: whose shape and type are taken.
      dtype: another type.
      name: the operation's name.
      optimize: whether a known shape makes a constant.
    Example:
      >>> sess.run(tf.ones_like([1.5, 2.5]))
      array([1., 1.], dtype=float32)
    """
    with name_scope(name, "ones_like", [tensor]) as scope:
        like = convert_to_tensor(tensor, name="tensor")
        if hasattr(like, "with_flat_values"):  # a RaggedTensor
            return like.with_flat_values(ones_like(like.flat_values, dtype))
        wanted = like.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        result = ones(shape_of(like, optimize=optimize), wanted, name=scope)
        result.set_shape(like.shape)
        return result


# ---- Range -------------------------------------------------------------------------------

_RANGE_TYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


@op(
    "Range",
    "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
    host=("start", "limit", "delta"),
    Tidx=_RANGE_TYPES,
    differentiable=False,
    samples=[
        sample(np.int32(2), np.int32(11), np.int32(3)),
        sample(np.int64(5), np.int64(0), np.int64(-2)),
        sample(1.0, 3.0, 0.25),
    ],
)
def range_op(xp: Any, start: Any, limit: Any, delta: Any) -> Any:
    """Counts from `start` up to but not including `limit` in steps of `delta`."""
    first, last, step = start.item(), limit.item(), delta.item()
    if step > 0:
        if first <= last < math.inf:
            return xp.arange(first, last, step, start.dtype)
    elif step < 0 and first >= last > -math.inf:
        return xp.arange(first, last, step, start.dtype)
    raise invalid(_range_error(first, last, step))


def _range_error(first: float, last: float, step: float) -> str:
    """The error message for ends that no range has."""
    if step == 0:
        return "Requires delta != 0: 0"
    ends = "/".join(f"{end:g}" if isinstance(end, float) else str(end) for end in (first, last))
    if step > 0 and not first <= last:
        return f"Requires start <= limit when delta > 0: {ends}"
    if not step > 0 and not first >= last:
        return f"Requires start >= limit when delta < 0: {ends}"
    return "Requires ((limit - start) / delta) <= 9223372036854775807"


@range_op.shape
def _range_shape(start: Any, limit: Any, delta: Any) -> Any:
    for each in (start, limit, delta):
        each.shape.assert_has_rank(0)
    if start.value is None or limit.value is None or delta.value is None:
        return unknown_shape(1)
    first, last, step = start.value.item(), limit.value.item(), delta.value.item()
    if math.isnan(first) or math.isnan(last) or math.isnan(step):
        return unknown_shape(1)  # refused when it runs
    if step == 0:
        raise ValueError("Requires delta != 0")
    fits = first <= last if step > 0 else first >= last
    if not fits or not math.isfinite((last - first) / step):
        raise ValueError(_range_error(first, last, step))
    return TensorShape((max(0, math.ceil((last - first) / step)),))


def range(
    start: TensorLike,
    limit: TensorLike = None,
    delta: TensorLike = 1,
    dtype: DTypeLike = None,
    name: str = "range",
) -> Tensor:
    """The numbers from `start` up to but not including `limit`, in steps of `delta`.

    With one argument it is the limit, and counting starts at 0. The type is the widest of the
    three, or `dtype`.

    Args:
      start: the first number; with one argument alone it is the limit, and 0 the first.
      limit: where it ends; never in the result.
      delta: the step, which may be negative.
      dtype: the type; else that of the arguments.
      name: the operation's name.
    Example:
      >>> sess.run(tf.range(5))
      array([0, 1, 2, 3, 4], dtype=int32)
      >>> sess.run(tf.range(10, 4, -2))
      array([10,  8,  6], dtype=int32)
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        ends = [
            convert_to_tensor(value, dtype=dtype, name=part)
            for value, part in ((start, "start"), (limit, "limit"), (delta, "delta"))
        ]
        if dtype is None:
            if not all(e.dtype.base_dtype in _RANGE_TYPES for e in ends):
                raise AssertionError
            widest = max((e.dtype.base_dtype for e in ends), key=_RANGE_TYPES.index)
            ends = [e if e.dtype.base_dtype == widest else cast(e, widest) for e in ends]
        return range_op(*ends, name=scope)

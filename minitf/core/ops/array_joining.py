"""Joins and splits tensors: concat, stack, unstack, split."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import Dimension, TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.host import on_cpu
from minitf.core.ops import run_time_axes
from minitf.core.ops.array import check_same_dimensions, identity, merged_shape, shape, static_int
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.elementwise import invalid, sample

# ---- ConcatV2 ----------------------------------------------------------------------------


@op(
    "ConcatV2",
    "values: N*T -> output: T",
    batch="axis",
    moves_elements=True,
    samples=[
        sample([(2, 3), (1, 3)], axis=0),
        sample([(2, 3), (2, 1)], axis=-1),
    ],
)
def concat_op(xp: Any, values: Any, *, axis: int) -> Any:
    """Joins tensors along an axis they all have."""
    try:
        return xp.concatenate(values, axis)
    except ValueError:
        if any(not np.ndim(v) for v in values):
            raise invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)") from None
        shapes = " vs. ".join(
            f"shape[{i}] = [{','.join(str(n) for n in v.shape)}]" for i, v in enumerate(values)
        )
        rank = values[0].ndim
        wrong = f"Dimensions of inputs should match: {shapes}"
        if any(v.ndim != rank for v in values):
            wrong = f"Ranks of all input tensors should match: {shapes}"
        elif not -rank <= axis < rank:
            wrong = (
                f"Expected concatenating dimensions in the range [-{rank}, {rank}), but got {axis}"
            )
        raise invalid(f"ConcatOp : {wrong}") from None


@concat_op.shape
def _concat_shape(values: Any, *, axis: int) -> Any:
    known = [v.shape for v in values if v.shape.ndims is not None]
    if not known:
        return None
    if any(shape.ndims == 0 for shape in known):
        raise ValueError("Can't concatenate scalars (use tf.stack instead)")
    rank = known[0].ndims
    needed = axis + 1 if axis >= 0 else -axis
    if rank < needed:
        raise ValueError(f"Shape must be at least rank {needed} but is rank {rank}")
    for each in known:
        each.with_rank(rank)
    axis %= rank
    before, after = TensorShape([None] * axis), TensorShape([None] * (rank - axis - 1))
    total: int | None = 0
    for value in values:
        sizes = value.shape
        if sizes.ndims is None:
            total = None
            continue
        check_same_dimensions(before, sizes[:axis])
        check_same_dimensions(after, sizes[axis + 1 :])
        before, after = before.merge_with(sizes[:axis]), after.merge_with(sizes[axis + 1 :])
        size = sizes.as_list()[axis]
        total = None if total is None or size is None else total + size
    return before.concatenate([total]).concatenate(after)


@concat_op.gradient
def _concat_grad(op: Any, dy: Tensor) -> list:
    values, axis = op.inputs, op.attrs["axis"]
    if len(values) == 1:
        return [dy]
    sizes = [v.shape.as_list()[axis] if v.shape.ndims is not None else None for v in values]
    if None not in sizes:
        return list(split_v_op(dy, np.array(sizes, np.int64), axis=axis, num_split=len(values)))
    rank = next((v.shape.ndims for v in values if v.shape.ndims is not None), None)
    if rank is None:
        lengths = [shape(v)[axis] for v in values]
    else:
        lengths = [call("GatherV2", shape(v), axis % rank) for v in values]
    return list(split_v_op(dy, pack_op(lengths), axis=axis, num_split=len(values)))


def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """The tensors in `values`, one after the other along `axis`.

    Args:
      values: tensors that agree in all sizes but that along `axis`.
      axis: an integer; negative counts from the last. The old order, `tf.concat(axis, values)`, is
        understood as well.
      name: the name.
    Raises:
      ValueError: when the shapes do not fit.
    Example:
      >>> sess.run(tf.concat([[[1, 2]], [[3, 4]]], 0))
      array([[1, 2],
             [3, 4]], dtype=int32)
    """
    if isinstance(values, (int, np.integer)) and isinstance(axis, (list, tuple)):
        values, axis = axis, values
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError(
            "List argument 'values' to 'ConcatV2' Op with length 0 shorter than minimum length 2."
        )
    if len(values) == 1:
        with name_scope(name):
            return identity(values[0], name=name)
    if run_time_axes.varies(axis):
        return run_time_axes.joined_along(values, axis, name)
    return concat_op(list(values), axis=static_int(axis, "axis"), name=name)


# ---- Pack, Unpack ------------------------------------------------------------------------


@op(
    "Pack",
    "values: N*T -> output: T",
    batch="axis",
    moves_elements=True,
    samples=[
        sample([(2, 3), (2, 3)]),
        sample([(2, 3), (2, 3)], axis=-1),
        sample([(), ()]),
    ],
)
def pack_op(xp: Any, values: Any, *, axis: int = 0) -> Any:
    """Joins tensors of one shape along a new axis."""
    if not on_cpu(xp):  # CuPy takes no scalars of NumPy among its arrays
        return xp.stack([xp.asarray(v) for v in values], axis)
    first = values[0]
    if getattr(first, "ndim", 0):
        try:
            return xp.stack(values, axis)
        except ValueError:
            raise invalid(_pack_error(values)) from None
    return xp.array(values, getattr(first, "dtype", object))


def _pack_error(values: Sequence[Any]) -> str:
    shapes = [f"[{','.join(str(n) for n in np.shape(v))}]" for v in values]
    other = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), 0)
    return (
        f"Shapes of all inputs must match: values[0].shape = {shapes[0]} != "
        f"values[{other}].shape = {shapes[other]}"
    )


@pack_op.shape
def _pack_shape(values: Any, *, axis: int) -> Any:
    merged = merged_shape(values)
    if merged.ndims is None:
        return None
    if not -merged.ndims - 1 <= axis <= merged.ndims:
        raise ValueError(f"axis = {axis} not in [{-merged.ndims - 1}, {merged.ndims + 1})")
    sizes = merged.as_list()
    sizes.insert(axis if axis >= 0 else axis + merged.ndims + 1, len(values))
    return TensorShape(sizes)


@pack_op.gradient
def _pack_grad(op: Any, dy: Tensor) -> list:
    return list(unpack_op(dy, num=len(op.inputs), axis=op.attrs["axis"], name="unstack"))


def stack(values: Sequence[Any], axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape, joined along a new axis. A list of constants gives one constant.

    Args:
      values: tensors of one shape and type.
      axis: where the new axis stands; negative counts from the end.
      name: the operation's name.
    Raises:
      ValueError: when the shapes differ or the axis lies outside.
    Example:
      >>> sess.run(tf.stack([[1, 4], [2, 5]], axis=1))
      array([[1, 2],
             [4, 5]], dtype=int32)
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass  # tensors of several types or shapes: the error below says more
    rank = convert_to_tensor(values[0]).shape.ndims
    if rank is not None and not -rank - 1 <= axis <= rank:
        raise ValueError(f"axis = {axis} not in [{-rank - 1}, {rank + 1})")
    return pack_op(list(values), axis=axis, name=name)


@op(
    "Unpack",
    "value: T -> output: num*T",
    batch="axis",
    alias=True,
    samples=[sample((2, 3), num=2), sample((2, 3), num=3, axis=-1), sample((2,), num=2)],
)
def unpack_op(xp: Any, value: Any, *, num: int, axis: int = 0) -> Any:
    """Splits a tensor along an axis, which the parts do not have."""
    if value.shape[axis] != num:
        raise invalid(
            f"Input shape axis {axis} must equal {num}, got shape "
            f"[{','.join(str(n) for n in value.shape)}]"
        )
    return list(xp.moveaxis(value, axis, 0) if axis else value)


@unpack_op.shape
def _unpack_shape(value: Any, *, num: int, axis: int) -> Any:
    if value.shape.ndims is None:
        return [None] * num
    sizes = value.shape.as_list()
    if not -len(sizes) <= axis < len(sizes):
        raise ValueError(f"axis = {axis} not in [{-len(sizes)}, {len(sizes)})")
    size = sizes.pop(axis)
    if size not in (None, num):
        raise ValueError(f"Dimension must be {num} but is {size}")
    return [TensorShape(sizes)] * num


@unpack_op.gradient
def _unpack_grad(op: Any, *dy: Tensor | None) -> list:
    parts = [_or_zeros(d, output) for d, output in zip(dy, op.outputs, strict=True)]
    return [pack_op(parts, axis=op.attrs["axis"], name="stack")]


def _or_zeros(dy: Tensor | None, output: Tensor) -> Tensor:
    """A gradient; zeros if it is None."""
    return zeros_like(output, optimize=False) if dy is None else dy


def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """The parts of `value` along `axis`, as a list of tensors of one rank less.

    Args:
      value: a tensor of rank 1 or more.
      num: how many parts; None takes the size along `axis`, which must be known then.
      axis: an integer; negative counts from the last.
      name: the name.
    Raises:
      ValueError: when `num` is neither given nor known, or is not the size.
    Example:
      >>> a, b = tf.unstack([[1, 2], [3, 4]])
      >>> sess.run(b)
      array([3, 4], dtype=int32)
    """
    if num is None:
        tensor = value = convert_to_tensor(value)
        rank = tensor.shape.ndims
        if rank is not None:
            if not -rank <= axis < rank:
                raise ValueError(f"axis = {axis} not in [{-rank}, {rank})")
            num = tensor.shape.as_list()[axis]
        if num is None:
            raise ValueError(f"Cannot infer num from shape {tensor.shape}")
        if num == 0:
            return []
    return unpack_op(value, num=num, axis=axis, name=name)


# ---- Split, SplitV -----------------------------------------------------------------------


def _check_split_axis(rank: int | None, axis: int) -> None:
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(
            f"Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})"
        )


@op(
    "Split",
    "value: T -> output: num_split*T",
    batch="axis",
    alias=True,
    samples=[sample((2, 6), axis=1, num_split=3), sample((4, 3), axis=-2, num_split=2)],
)
def split_op(xp: Any, value: Any, *, axis: int, num_split: int) -> Any:
    """Cuts a tensor into equal parts along an axis."""
    if not -value.ndim <= axis < value.ndim:
        rank = value.ndim
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}")
    size = value.shape[axis]
    if size % num_split:
        raise invalid(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{axis % value.ndim} (size = {size}) and num_split {num_split}"
        )
    return _cut(value, range(0, size + 1, size // num_split or 1), axis, num_split)


def _cut(value: Any, ends: Sequence[int], axis: int, count: int) -> list[Any]:
    """The parts of an array between `ends`, as views; much faster than `np.split`."""
    head = (slice(None),) * (axis % value.ndim)
    if len(ends) <= count:  # nothing, cut into parts of nothing
        ends = [0] * (count + 1)
    return [value[(*head, slice(ends[k], ends[k + 1]))] for k in range(count)]


@split_op.shape
def _split_shape(value: Any, *, axis: int, num_split: int) -> Any:
    if value.shape.ndims is None:
        return [None] * num_split
    _check_split_axis(value.shape.ndims, axis)
    sizes = value.shape.as_list()
    if sizes[axis] is not None:
        if sizes[axis] % num_split:
            raise ValueError(
                f"Dimension size must be evenly divisible by {num_split} but is {sizes[axis]}\n\t"
                "Number of ways to split should evenly divide the split dimension"
            )
        sizes[axis] //= num_split
    return [TensorShape(sizes)] * num_split


def _split_grad(op: Any, *dy: Tensor | None) -> list:
    if op.attrs["num_split"] == 1:
        dx = dy[0]
    else:
        parts = [_or_zeros(d, output) for d, output in zip(dy, op.outputs, strict=True)]
        dx = concat_op(parts, axis=op.attrs["axis"], name="concat")
    return [dx] + [None] * (len(op.inputs) - 1)


split_op.gradient(_split_grad)


@op(
    "SplitV",
    "value: T, size_splits: Tlen -> output: num_split*T",
    batch="axis",
    host=("size_splits",),
    Tlen=dtypes.INDICES,
    alias=True,
    samples=[
        sample((2, 6), np.array([1, 2, 3], np.int32), axis=1, num_split=3),
        sample((5,), np.array([-1, 2], np.int64), axis=0, num_split=2),
    ],
)
def split_v_op(xp: Any, value: Any, size_splits: Any, *, axis: int, num_split: int) -> Any:
    """Cuts a tensor into parts of the given sizes along an axis; one size may be -1."""
    sizes = _resolved_sizes(size_splits.tolist(), value.shape[axis])
    if sum(sizes) != value.shape[axis]:
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {sum(sizes)}"
        )
    return _cut(value, [0, *itertools.accumulate(sizes)], axis, len(sizes))


def _resolved_sizes(sizes: list, whole: int) -> list:
    """Sizes with a -1 replaced by the rest."""
    return [whole - sum(s for s in sizes if s >= 0) if s == -1 else s for s in sizes]


@split_v_op.shape
def _split_v_shape(value: Any, size_splits: Any, *, axis: int, num_split: int) -> Any:
    if value.shape.ndims is None:
        return [None] * num_split
    _check_split_axis(value.shape.ndims, axis)
    whole = value.shape.as_list()
    sizes = [None] * num_split if size_splits.value is None else size_splits.value.tolist()
    if sizes.count(-1) > 1:
        raise ValueError("size_splits can only have one -1")
    if None not in sizes:
        if whole[axis] is not None:
            resolved = _resolved_sizes(sizes, whole[axis])
            if sum(resolved) != whole[axis] or min(resolved) < 0:
                raise ValueError(
                    f"can't split axis of size {whole[axis]} into pieces of size "
                    f"[{','.join(str(s) for s in sizes)}]"
                )
            sizes = resolved
        else:
            sizes = [None if s == -1 else s for s in sizes]
    shapes = []
    for size in sizes:
        whole[axis] = size
        shapes.append(TensorShape(whole))
    return shapes


split_v_op.gradient(_split_grad)


def split(
    value: TensorLike = None,
    num_or_size_splits: Any = None,
    axis: Any = 0,
    num: int | None = None,
    name: str = "split",
    split_dim: Any = None,
    num_split: int | None = None,
) -> list[Tensor]:
    """The parts that `value` is cut into along `axis`.

    The old order, `tf.split(split_dim, num_split, value)`, is understood as well, in keywords too.

    Args:
      value: the tensor.
      num_or_size_splits: how many equal parts, or a vector with the size of each; one may be -1.
      axis: an integer; negative counts from the last.
      num: the number of parts, when `num_or_size_splits` is a vector of unknown length.
      name: the name.
    Raises:
      ValueError: when the sizes do not fit, or the number of parts is unknown.
    Example:
      >>> a, b = tf.split(tf.ones([5, 30]), [10, 20], 1)
    """
    if isinstance(value, (int, np.integer)) and not isinstance(axis, (int, np.integer)):
        value, axis = axis, value
    axis = axis if split_dim is None else split_dim
    num_or_size_splits = num_or_size_splits if num_split is None else num_split
    late = run_time_axes.varies(axis)
    place = 0 if late else static_int(axis, "axis")
    if isinstance(num_or_size_splits, (int, np.integer, Dimension)):
        if int(num_or_size_splits) < 1:
            raise ValueError(
                f"Attr 'num_split' of 'Split' Op passed {int(num_or_size_splits)} less than "
                "minimum 1."
            )
        if late:
            return run_time_axes.cut_along("Split", value, (), axis, int(num_or_size_splits), name)
        return split_op(value, axis=place, num_split=int(num_or_size_splits), name=name)
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.shape.ndims == 0:
        known = constant_value(sizes)
        if known is not None:
            return split_op(value, axis=place, num_split=int(known), name=name)
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        num = None if sizes.shape.ndims is None else sizes.shape.as_list()[0]
        if num is None:
            raise ValueError(f"Cannot infer num from shape {num_or_size_splits}")
    if late:
        return run_time_axes.cut_along("SplitV", value, (sizes,), axis, num, name)
    return split_v_op(value, sizes, axis=place, num_split=num, name=name)

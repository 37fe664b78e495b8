"""Elements in other places: roll, repeat, rows reversed, and blocks between space and batch.

`reverse_sequence` turns the beginning of each row, as a backward recurrent net reads:

    [1 2 3 4]   lengths [3, 1]   [3 2 1 4]
    [5 6 7 8]                    [5 6 7 8]
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape, same_size
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import static_int
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid, sample

# ---- Roll --------------------------------------------------------------------------------


@op(
    "Roll",
    "input: T, shift: Tshift, axis: Taxis -> output: T",
    host=("shift", "axis"),
    Tshift=dtypes.INDICES,
    Taxis=dtypes.INDICES,
    samples=[
        sample((4,), np.int32(1), np.int32(0)),
        sample((2, 3), np.array([1, -2], np.int32), np.array([0, 1], np.int32)),
    ],
)
def roll_op(xp: Any, input: Any, shift: Any, axis: Any) -> Any:
    """Moves the elements along axes; what leaves at one end comes in at the other."""
    if not input.ndim:
        raise invalid("input must be 1-D or higher")
    if np.shape(shift) != np.shape(axis):
        raise invalid("shift and axis must have the same size")
    for place in np.ravel(axis).tolist():
        if not -input.ndim <= place < input.ndim:
            raise invalid(f"axis {place} is out of range")
    return xp.roll(input, np.ravel(shift).tolist(), np.ravel(axis).tolist())


roll_op.shape(lambda input, shift, axis: input.shape.with_rank_at_least(1))
roll_op.gradient(lambda op, dy: [roll_op(dy, call("Neg", op.inputs[1]), op.inputs[2]), None, None])


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """`input` with its elements moved along axes, round the end.

    Args:
      input: any tensor.
      shift: by how much, for each of the axes; negative moves towards the front.
      axis: an axis, or several.
      name: the name.
    Example:
      >>> sess.run(tf.roll([0, 1, 2, 3], 1, 0))
      array([3, 0, 1, 2], dtype=int32)
    """
    return roll_op(input, shift, axis, name=name)


# ---- between space, batch and depth ------------------------------------------------------


def _divided(size: int, by: int) -> int:
    if size % by:
        raise ValueError(f"Dimension size must be evenly divisible by {by} but is {size}")
    return size // by


def _blocked(input: Any, block_shape: Any, margins: Any, to_batch: bool) -> Any:
    """The shape after space_to_batch, or after batch_to_space."""
    shape, block, around = input.shape, block_shape.value, margins.value
    if shape.ndims is None or block_shape.shape.num_elements() is None:
        return None
    if block is None:  # what is not cut into blocks stays as it is
        count = block_shape.shape.num_elements()
        shape.with_rank_at_least(count + 1)
        return TensorShape([None] * (count + 1)).concatenate(shape[count + 1 :])
    shape.with_rank_at_least(block.size + 1)
    if around is not None and around.shape != (block.size, 2):
        raise ValueError(f"Shape must be [{block.size},2] but is {list(around.shape)}")
    if block.size and block.min() < 1:
        raise ValueError("block_shape must be positive")
    sizes, whole = shape.as_list(), int(np.prod(block))
    if sizes[0] is not None:
        sizes[0] = sizes[0] * whole if to_batch else _divided(sizes[0], whole)
    for axis, b in enumerate(block.tolist(), start=1):
        n = sizes[axis]
        if n is None or around is None:
            sizes[axis] = None
        else:
            margin = int(around[axis - 1].sum())
            sizes[axis] = _divided(n + margin, b) if to_batch else n * b - margin
    return TensorShape(sizes)


@op(
    "SpaceToBatchND",
    "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
    host=("block_shape", "paddings"),
    Tblock_shape=dtypes.INDICES,
    Tpaddings=dtypes.INDICES,
    samples=[
        sample((2, 4, 2), np.array([2], np.int32), np.array([[0, 0]], np.int32)),
        sample((1, 3, 4), np.array([2, 2], np.int32), np.array([[1, 0], [0, 0]], np.int32)),
    ],
)
def space_to_batch_nd_op(xp: Any, input: Any, block_shape: Any, paddings: Any) -> Any:
    """Makes images of their own of the pixels at one place of all blocks."""
    block, count = block_shape.tolist(), block_shape.size
    rest: Any = [(0, 0)] * (input.ndim - 1 - count)
    padded = xp.pad(input, [(0, 0), *(tuple(p) for p in paddings.tolist()), *rest])
    for i, b in enumerate(block):
        if padded.shape[i + 1] % b:
            raise invalid(
                f"padded_shape[{i}]={padded.shape[i + 1]} is not divisible by block_shape[{i}]={b}"
            )
    pairs = [(n // b, b) for n, b in zip(padded.shape[1:], block, strict=False)]
    cut = padded.reshape(len(padded), *itertools.chain(*pairs), *padded.shape[1 + count :])
    outside, inside = range(1, 2 * count, 2), range(2, 2 * count + 1, 2)
    rest = range(1 + 2 * count, cut.ndim)
    moved = cut.transpose(*inside, 0, *outside, *rest)
    return xp.ascontiguousarray(moved).reshape(-1, *(cut.shape[i] for i in [*outside, *rest]))


space_to_batch_nd_op.shape(
    lambda input, block_shape, paddings: _blocked(input, block_shape, paddings, True)
)
space_to_batch_nd_op.gradient(lambda op, dy: [batch_to_space_nd_op(dy, *op.inputs[1:]), None, None])


@op(
    "BatchToSpaceND",
    "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
    host=("block_shape", "crops"),
    Tblock_shape=dtypes.INDICES,
    Tcrops=dtypes.INDICES,
    samples=[
        sample((4, 2, 2), np.array([2], np.int32), np.array([[1, 0]], np.int32)),
        sample((4, 1, 2, 2), np.array([2, 2], np.int32), np.array([[0, 0], [0, 1]], np.int32)),
    ],
)
def batch_to_space_nd_op(xp: Any, input: Any, block_shape: Any, crops: Any) -> Any:
    """Puts images back as the pixels at one place of all blocks, and cuts the margins off."""
    block, count = block_shape.tolist(), block_shape.size
    batch, left = divmod(len(input), math.prod(block))
    if left:
        raise invalid(
            f"Input batch dimension ({len(input)}) is not divisible by product of block sizes "
            f"({math.prod(block)})"
        )
    cut = input.reshape(*block, batch, *input.shape[1:])
    pairs = [(count + 1 + i, i) for i in range(count)]
    moved = cut.transpose(count, *itertools.chain(*pairs), *range(2 * count + 1, cut.ndim))
    sizes = [n * b for n, b in zip(input.shape[1:], block, strict=False)]
    whole = xp.ascontiguousarray(moved).reshape(batch, *sizes, *input.shape[1 + count :])
    kept = [slice(low, n - high) for (low, high), n in zip(crops.tolist(), sizes, strict=False)]
    return xp.ascontiguousarray(whole[(slice(None), *kept)])


batch_to_space_nd_op.shape(
    lambda input, block_shape, crops: _blocked(input, block_shape, crops, False)
)
batch_to_space_nd_op.gradient(lambda op, dy: [space_to_batch_nd_op(dy, *op.inputs[1:]), None, None])


# ---- made of others ----------------------------------------------------------------------


def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each element, or each slice along an axis, several times in a row.

    Args:
      input: any tensor.
      repeats: how often: a number, or one for each slice.
      axis: the axis; None takes the elements of the whole, flat.
      name: the name of the scope.
    Example:
      >>> sess.run(tf.repeat([3, 5], [2, 1]))
      array([3, 3, 5], dtype=int32)
    """
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input)
        if axis is None:
            data, axis = reshape(data, [-1]), 0
        if isinstance(axis, (list, tuple)):
            raise TypeError(
                f"Argument `axis` must be an int. Received `axis` = {axis} of type "
                f"{type(axis).__name__}"
            )
        place = static_int(axis, "axis")
        counts = cast(convert_to_tensor(repeats), dtypes.int32)
        length = shape_of(data)[place]
        if counts.shape.ndims == 0 or counts.shape.dims and counts.shape.as_list() == [1]:
            counts = call("Fill", reshape(length, [1]), reshape(counts, []))
        ends = call("Cumsum", counts, axis=0)
        total = call("Sum", counts, axis=None)
        # which slice each place of the result belongs to: how many have ended before it
        places = call("Range", np.int32(0), total, np.int32(1))
        where = call("UpperBound", expand_dims(ends, 0), expand_dims(places, 0))[0]
        return gather(data, where, axis=place)


# ---- ReverseSequence -------------------------------------------------------------------


@op(
    "ReverseSequence",
    "input: T, seq_lengths: Tlen -> output: T",
    Tlen=dtypes.INDICES,
    samples=[
        sample((2, 4), np.array([3, 1], np.int32), seq_dim=1, batch_dim=0),
        sample((3, 2, 2), np.array([2, 3], np.int64), seq_dim=0, batch_dim=1),
    ],
)
def reverse_sequence_op(
    xp: Any, input: Any, seq_lengths: Any, *, seq_dim: int, batch_dim: int = 0
) -> Any:
    """Reverses the first `seq_lengths[i]` elements along `seq_dim` of each batch entry i."""
    size, entries = input.shape[seq_dim], input.shape[batch_dim]
    if len(seq_lengths) != entries:
        raise invalid(
            f"Length of seq_lengths != input.dims({batch_dim}), ({len(seq_lengths)} vs. {entries})"
        )
    if len(seq_lengths) and int(seq_lengths.max()) > size:
        entry = int((seq_lengths > size).argmax())
        raise invalid(f"seq_lens({entry}) > input.dims({seq_dim})")
    places = xp.arange(size)[None, :]
    lengths = seq_lengths[:, None]
    sources = xp.where(places < lengths, lengths - 1 - places, places)  # [batch, time]
    rows = xp.moveaxis(input, (batch_dim, seq_dim), (0, 1))
    picked = rows[xp.arange(len(seq_lengths))[:, None], sources]
    return xp.ascontiguousarray(xp.moveaxis(picked, (0, 1), (batch_dim, seq_dim)))


@reverse_sequence_op.shape
def _reverse_sequence_shape(input: Any, seq_lengths: Any, *, seq_dim: int, batch_dim: int) -> Any:
    rank = input.shape.ndims
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if rank is not None and axis >= rank:
            raise ValueError(f"{name} must be < input rank: {axis} vs. {rank}")
    entries = seq_lengths.shape.with_rank(1)
    if rank is None:
        return input.shape
    sizes = input.shape.as_list()
    sizes[batch_dim] = same_size(sizes[batch_dim], entries.as_list()[0])
    return TensorShape(sizes)


@reverse_sequence_op.gradient
def _reverse_sequence_grad(op: Any, dy: Tensor) -> list:
    lengths = op.inputs[1]
    axes = {name: op.attrs[name] for name in ("seq_dim", "batch_dim")}
    return [reverse_sequence_op(dy, lengths, **axes), None]


def reverse_sequence(
    input: Any,
    seq_lengths: Any = None,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """`input` with the beginning of each batch entry in the other order.

    Args:
      input: the tensor.
      seq_lengths: [batch] integers, how many elements to reverse in each entry.
      seq_axis: the axis along which to reverse.
      batch_axis: the axis of the entries; 0 by default.
      name: a name.
      seq_dim, batch_dim: the old names of the axes.
    Example:
      >>> sess.run(tf.reverse_sequence([[1, 2, 3]], [2], seq_axis=1))
      array([[2, 1, 3]], dtype=int32)
    """
    along = seq_axis if seq_axis is not None else seq_dim
    entries = batch_axis if batch_axis is not None else batch_dim
    return reverse_sequence_op(
        input, seq_lengths, seq_dim=along, batch_dim=entries or 0, name=name or "ReverseSequence"
    )

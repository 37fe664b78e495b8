"""Elements in other places: roll, repeat, meshgrid, blocks between space and batch or depth, bits.

    space_to_depth      each block of an image becomes the channels of one pixel
    space_to_batch      the pixels at one place of all blocks become an image of their own
    bitcast             the same bytes read as another type

The blocks are a reshape and a transposition; so their gradients need no word here.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import static_int
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid, shown

# ---- Roll --------------------------------------------------------------------------------


@op(
    "Roll",
    "input: T, shift: Tshift, axis: Taxis -> output: T",
    host=("shift", "axis"),
    Tshift=dtypes.INDICES,
    Taxis=dtypes.INDICES,
    samples=[
        lambda rng: (rng.normal(size=(4,)), np.int32(1), np.int32(0), {}),
        lambda rng: (
            rng.normal(size=(2, 3)),
            np.array([1, -2], np.int32),
            np.array([0, 1], np.int32),
            {},
        ),
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


# ---- Bitcast -----------------------------------------------------------------------------


@op(
    "Bitcast",
    "input: T -> output: type",
    differentiable=None,
    samples=[
        lambda rng: (np.array([1, -1], np.int32), {"type": dtypes.uint32}),
        lambda rng: (np.array([[1, 2]], np.uint8), {"type": dtypes.uint16}),
        lambda rng: (np.array([7], np.int32), {"type": dtypes.uint8}),
    ],
)
def bitcast_op(xp: Any, input: Any, *, type: Any) -> Any:
    """Reads the bytes of a tensor as another type; a wider one takes the last axis in."""
    wanted, x = type.numpy_dtype, xp.ascontiguousarray(input)
    have, want = x.dtype.itemsize, wanted.itemsize
    if np.ndim(input) == 0:
        x = x.reshape(())
    if want > have and (not x.ndim or x.shape[-1] * have != want):
        raise invalid(
            f"Cannot bitcast from {dtypes.as_dtype(x.dtype).name} to {type.name}: shape {shown(x)}"
        )
    if have == want:
        return x.view(wanted).copy()[()]
    if want < have:
        return x.reshape(*x.shape, 1).view(wanted).copy()
    return x.view(wanted)[..., 0].copy()


@bitcast_op.shape
def _bitcast_shape(input: Any, *, type: Any) -> Any:
    have, want = input.dtype.size, type.size
    if input.shape.ndims is None or have == want:
        return input.shape
    if want < have:
        return input.shape.concatenate([have // want])
    last = input.shape.with_rank_at_least(1).as_list()[-1]
    if last not in (None, want // have):
        raise ValueError(f"Cannot bitcast due to shape. {last} does not match {want // have}")
    return input.shape[:-1]


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The bytes of `input` read as the dtype `type`.

    A smaller type adds a last axis; a larger one takes the last axis in.
    """
    return bitcast_op(input, type=dtypes.as_dtype(type), name=name)


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
    "input: T, block_shape: Tblock, paddings: Tpad -> output: T",
    host=("block_shape", "paddings"),
    Tblock=dtypes.INDICES,
    Tpad=dtypes.INDICES,
    samples=[
        lambda rng: (
            rng.normal(size=(2, 4, 2)),
            np.array([2], np.int32),
            np.array([[0, 0]], np.int32),
            {},
        ),
        lambda rng: (
            rng.normal(size=(1, 3, 4)),
            np.array([2, 2], np.int32),
            np.array([[1, 0], [0, 0]], np.int32),
            {},
        ),
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
    "input: T, block_shape: Tblock, crops: Tcrops -> output: T",
    host=("block_shape", "crops"),
    Tblock=dtypes.INDICES,
    Tcrops=dtypes.INDICES,
    samples=[
        lambda rng: (
            rng.normal(size=(4, 2, 2)),
            np.array([2], np.int32),
            np.array([[1, 0]], np.int32),
            {},
        ),
        lambda rng: (
            rng.normal(size=(4, 1, 2, 2)),
            np.array([2, 2], np.int32),
            np.array([[0, 0], [0, 1]], np.int32),
            {},
        ),
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


def _depth_op(op_type: str, sentence: str, to_depth: bool) -> OpDef:
    def kernel(xp: Any, input: Any, *, block_size: int, data_format: str = "NHWC") -> Any:
        x = input if data_format == "NHWC" else xp.moveaxis(input, 1, -1)
        n, h, w, c = x.shape
        b, area = block_size, block_size * block_size
        if to_depth and (h % b or w % b):
            raise invalid(f"Image width {w} and height {h} should be divisible by block_size: {b}")
        if not to_depth and c % area:
            raise invalid(f"Input depth dimension {c} should be divisible by: {area}")
        if to_depth:
            parts, sizes = (h // b, b, w // b, b, c), (h // b, w // b, area * c)
        else:
            parts, sizes = (h, w, b, b, c // area), (h * b, w * b, c // area)
        y = x.reshape(n, *parts).transpose(0, 1, 3, 2, 4, 5).reshape(n, *sizes)
        y = y if data_format == "NHWC" else xp.moveaxis(y, -1, 1)
        return xp.array(y, order="C")

    kernel.__doc__ = sentence
    size = (1, 4, 2, 2) if to_depth else (1, 2, 1, 4)
    op_def: OpDef = op(
        op_type,
        "input: T -> output: T",
        batch="fold",
        samples=[lambda rng: (rng.normal(size=size), {"block_size": 2})],
    )(kernel)

    @op_def.shape
    def _shape(input: Any, *, block_size: int, data_format: str) -> Any:
        known = input.shape.with_rank(4).as_list()
        if block_size < 2:
            raise ValueError(
                f"Attr 'block_size' of '{op_type}' Op passed {block_size} less than minimum 2."
            )
        place = 3 if data_format == "NHWC" else 1
        for axis in (1, 2, 3):
            factor = block_size**2 if axis == place else block_size
            grows = (axis == place) == to_depth
            if known[axis] is not None:
                known[axis] = known[axis] * factor if grows else _divided(known[axis], factor)
        return TensorShape(known)

    return op_def


space_to_depth_op = _depth_op(
    "SpaceToDepth", "Makes each block of an image the channels of one pixel.", True
)
depth_to_space_op = _depth_op(
    "DepthToSpace", "Makes the channels of each pixel a block of an image.", False
)


space_to_depth_op.gradient(lambda op, dy: [depth_to_space_op(dy, **_depth_attrs(op))])
depth_to_space_op.gradient(lambda op, dy: [space_to_depth_op(dy, **_depth_attrs(op))])


def _depth_attrs(op: Any) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("block_size", "data_format")}


def space_to_depth(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """An image whose pixels have the blocks of `input` as their channels.

    Args:
      input: [batch, height, width, channels], or the channels second with "NCHW".
      block_size: height and width of a block.
      name: the name.
      data_format: "NHWC" or "NCHW".
    """
    return space_to_depth_op(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Undoes `space_to_depth`."""
    return depth_to_space_op(input, block_size=block_size, data_format=data_format, name=name)


# ---- made of others ----------------------------------------------------------------------


def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid") -> list[Tensor]:
    """Coordinates of all points of a grid.

    Args:
      args: vectors, the coordinates along each axis.
      indexing: "xy": the first varies along the second axis, as in a plot; "ij": along the first.
      name: the name of the scope.
    Returns: for each vector a tensor with as many axes as there are vectors.
    Raises:
      ValueError: for another indexing.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with name_scope(name, "meshgrid", args):
        count = len(args)
        vectors = [convert_to_tensor(a) for a in args]
        order = list(range(count))
        if indexing == "xy" and count > 1:
            order[:2] = [1, 0]
        found, lengths = [], []
        for i, vector in enumerate(vectors):
            sizes = [1] * count
            sizes[order[i]] = -1
            found.append(reshape(vector, sizes))
            lengths.append(call("Size", vector))
        whole = stack([lengths[order[i]] for i in range(count)]) if count else None
        dtype = vectors[0].dtype.base_dtype if count else None
        return [f * ones(whole, dtype) for f in found]


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


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two shapes, given as vectors, broadcast to.

    Raises:
      InvalidArgumentError: by the step, when the shapes do not broadcast.
    """
    return call("BroadcastArgs", shape_x, shape_y)

"""Rearranges elements: reshape, squeeze, transpose, broadcast, tile, reverse.

Ops that NumPy does by strides return views and are declared with `alias=True`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape, brackets, unknown_shape
from minitf.core.graph.tensor import ShapeLike, Tensor, TensorLike
from minitf.core.ops import run_time_axes
from minitf.core.ops.array import one_of, shape, shape_like, static_ints
from minitf.core.ops.batching import again, behind, joined, sizes_of
from minitf.core.ops.elementwise import invalid, sample, shown
from minitf.core.ops.string_values import with_shape

# ---- Reshape -----------------------------------------------------------------------------


@op(
    "Reshape",
    "tensor: T, shape: Tshape -> output: T",
    host=("shape",),
    Tshape=dtypes.INDICES,
    alias=True,
    samples=[
        sample((2, 3), np.array([3, 2], np.int32)),
        sample((2, 6), np.array([-1, 4], np.int32)),
        sample((1, 1), np.array([], np.int32)),
    ],
)
def reshape_op(xp: Any, tensor: Any, shape: Any) -> Any:
    """Gives the elements of `tensor`, in their order, another shape; one size may be -1."""
    sizes = shape.tolist()
    try:
        result = with_shape(tensor).reshape(sizes)
        if shape.ndim and min(sizes, default=0) < -1:  # NumPy takes any negative size for -1
            raise ValueError
    except (TypeError, ValueError):
        tensor = with_shape(tensor)
        result = _reshape_of_nothing(tensor, shape)
        if result is None:
            raise invalid(_reshape_error(tensor, shape)) from None
    return result if result.ndim else result[()]


def _reshape_of_nothing(tensor: Any, shape: Any) -> Any:
    """An empty tensor in a shape with a 0 and a -1; None in other cases.

    The -1 stands for the rest of the other sizes, without zeros.
    """
    sizes = shape.tolist()
    if tensor.size or shape.ndim != 1 or sizes.count(-1) != 1 or 0 not in sizes or min(sizes) < -1:
        return None
    left = int(np.prod([n for n in tensor.shape if n]) // -np.prod([n for n in sizes if n]))
    return tensor.reshape([left if size == -1 else size for size in sizes])


def _reshape_error(tensor: Any, shape: Any) -> str:
    if shape.ndim != 1:
        return f"sizes input must be 1-D, not {shown(shape)}"
    sizes = shape.tolist()
    if sizes.count(-1) > 1:
        first = sizes.index(-1)
        return f"Only one input size may be -1, not both {first} and {sizes.index(-1, first + 1)}"
    for i, size in enumerate(sizes):
        if size < -1:
            return f"Size {i} must be non-negative, not {size}"
    known = int(np.prod([s for s in sizes if s >= 0], dtype=np.int64))
    if -1 in sizes and known:
        return (
            f"Input to reshape is a tensor with {tensor.size} values, but the requested shape "
            f"requires a multiple of {known}"
        )
    return (
        f"Input to reshape is a tensor with {tensor.size} values, "
        f"but the requested shape has {known}"
    )


@reshape_op.shape
def _reshape_shape(tensor: Any, shape: Any) -> Any:
    wanted = shape.partial_shape
    count = tensor.shape.num_elements()
    if wanted.ndims is None:
        return wanted
    sizes = wanted.as_list()
    if None not in sizes:
        total = wanted.num_elements()
        if count is not None and count != total:
            raise ValueError(
                f"Cannot reshape a tensor with {count} elements to shape {brackets(wanted)} "
                f"({total} elements)"
            )
        return wanted
    known = int(np.prod([s for s in sizes if s is not None], dtype=np.int64))
    if sizes.count(None) > 1 or count is None:
        return wanted
    if known == 0:
        if count:
            raise ValueError(
                f"Cannot reshape a tensor with {count} elements to shape {brackets(wanted)} "
                "(0 elements)"
            )
        return wanted
    if count % known:
        raise ValueError(f"Dimension size must be evenly divisible by {known} but is {count}")
    return TensorShape([count // known if s is None else s for s in sizes])


def _reshaped_back(op: Any, dy: Tensor) -> list:
    """The gradient of what only gives its first input another shape."""
    return [reshape_op(dy, shape_like(op.inputs[0])), *[None] * (len(op.inputs) - 1)]


reshape_op.gradient(_reshaped_back)


@reshape_op.batch
def _reshape_batch(op: Any, inputs: list, stacked: list) -> Any:
    known = op.outputs[0].shape
    sizes = known.as_list() if known.is_fully_defined() else inputs[1]
    return reshape_op(inputs[0], joined(sizes_of(inputs[0], 0, 1), sizes))


def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The elements of `tensor`, in their order, in another shape.

    Args:
      tensor: any tensor.
      shape: the new sizes; at most one may be -1: it is computed from the number of elements.
      name: the name.
    Raises:
      ValueError: when the number of elements is known to differ.
    Example:
      >>> sess.run(tf.reshape([[1, 2, 3], [4, 5, 6]], [3, -1]))
      array([[1, 2],
             [3, 4],
             [5, 6]], dtype=int32)
    """
    return reshape_op(tensor, shape, name=name)


# ---- ExpandDims, Squeeze -----------------------------------------------------------------


@op(
    "ExpandDims",
    "input: T -> output: T",
    batch="axis",
    alias=True,
    samples=[sample((2, 3), axis=1), sample((2, 3), axis=-1), sample((), axis=0)],
)
def expand_dims_op(xp: Any, input: Any, *, axis: int) -> Any:
    """Inserts a dimension of size 1 at `axis`."""
    input = with_shape(input)
    sizes = list(input.shape)
    if not -len(sizes) - 1 <= axis <= len(sizes):
        raise invalid(f"Tried to expand dim index {axis} for tensor with {len(sizes)} dimensions.")
    sizes.insert(axis if axis >= 0 else axis + len(sizes) + 1, 1)
    return input.reshape(sizes)


@expand_dims_op.shape
def _expand_dims_shape(input: Any, *, axis: int) -> Any:
    if input.shape.ndims is None:
        return None
    sizes = input.shape.as_list()
    if not -len(sizes) - 1 <= axis <= len(sizes):
        raise ValueError(f"dim {axis} not in the interval [{-len(sizes) - 1}, {len(sizes)}].")
    sizes.insert(axis if axis >= 0 else axis + len(sizes) + 1, 1)
    return TensorShape(sizes)


expand_dims_op.gradient(_reshaped_back)


def expand_dims(
    input: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """`input` with a dimension of size 1 inserted at `axis`; -1 appends it. `dim` is its old name.

    Args:
      input: any tensor.
      axis: where the new dimension stands; negative counts from the end.
      name: the operation's name.
      dim: the old name of `axis`.
    Raises:
      ValueError: when neither or both of `axis` and `dim` are given, or the axis lies outside.
    Example:
      >>> tf.expand_dims(tf.zeros([28, 28]), -1).shape.as_list()
      [28, 28, 1]
    """
    axis = one_of("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    if run_time_axes.varies(axis):
        return run_time_axes.with_axis(input, axis, name)
    axes = static_ints(axis, "axis")
    if len(axes) != 1:
        raise ValueError("'dim' input must be a tensor with a single value")
    return expand_dims_op(input, axis=axes[0], name=name)


@op(
    "Squeeze",
    "input: T -> output: T",
    moves_elements=True,
    alias=True,
    samples=[sample((1, 3, 1)), sample((1, 3, 1), squeeze_dims=(-1,)), sample((1, 1))],
)
def squeeze_op(xp: Any, input: Any, *, squeeze_dims: tuple = ()) -> Any:
    """Removes dimensions of size 1: those in `squeeze_dims`, or all."""
    input = with_shape(input)
    try:
        result = input.squeeze(squeeze_dims or None)
    except ValueError:
        for axis in squeeze_dims:
            if not -input.ndim <= axis < input.ndim:
                raise invalid(
                    f"Tried to squeeze dim index {axis} for tensor with {input.ndim} dimensions."
                ) from None
        axes = sorted(axis % input.ndim for axis in squeeze_dims)
        bad = next(axis for axis in axes if input.shape[axis] != 1)
        raise invalid(
            f"Can not squeeze dim[{bad}], expected a dimension of 1, got {input.shape[bad]}"
        ) from None
    return result if result.ndim else result[()]


@squeeze_op.shape
def _squeeze_shape(input: Any, *, squeeze_dims: tuple) -> Any:
    if input.shape.ndims is None:
        return None
    sizes = input.shape.as_list()
    chosen = set()
    for i, axis in enumerate(squeeze_dims):
        if not -len(sizes) <= axis < len(sizes):
            raise ValueError(f"squeeze_dims[{i}] not in [{-len(sizes)},{len(sizes)}).")
        chosen.add(axis % len(sizes))
    for axis in sorted(chosen):
        if sizes[axis] not in (1, None):
            raise ValueError(
                f"Can not squeeze dim[{axis}], expected a dimension of 1, got {sizes[axis]}"
            )
    if squeeze_dims:
        return TensorShape([s for i, s in enumerate(sizes) if i not in chosen])
    return None if None in sizes else TensorShape([s for s in sizes if s != 1])


squeeze_op.gradient(_reshaped_back)


@squeeze_op.batch
def _squeeze_batch(op: Any, inputs: list, stacked: list) -> Any:
    axes, sizes = op.attrs["squeeze_dims"], op.inputs[0].shape
    if not axes and not sizes.is_fully_defined():
        return None
    axes = axes or tuple(i for i, n in enumerate(sizes.as_list()) if n == 1)
    return squeeze_op(inputs[0], squeeze_dims=behind(axes)) if axes else inputs[0]


def squeeze(
    input: TensorLike, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """`input` without its dimensions of size 1.

    Args:
      input: any tensor.
      axis: the dimension or dimensions to remove; None removes every one that has size 1.
      name: the name.
      squeeze_dims: an old spelling of `axis`.
    Example:
      >>> tf.squeeze(tf.zeros([1, 3, 1])).shape.as_list()
      [3]
      >>> tf.squeeze(tf.zeros([1, 3, 1]), [0]).shape.as_list()
      [3, 1]
    """
    axis = one_of("axis", axis, "squeeze_dims", squeeze_dims)
    chosen = () if axis is None else static_ints(axis, "axis")
    return squeeze_op(input, squeeze_dims=chosen, name=name)


# ---- Transpose, BroadcastTo --------------------------------------------------------------


@op(
    "Transpose",
    "x: T -> y: T",
    cannot_fail=True,
    alias=True,
    samples=[sample((2, 3)), sample((2, 3, 4), perm=(2, 0, 1))],
)
def transpose_op(xp: Any, x: Any, *, perm: tuple | None = None, conjugate: bool = False) -> Any:
    """Gives axis `perm[i]` of `x` the place i; without `perm`, reverses the axes."""
    y = x if isinstance(x, bytes) else x.transpose(perm)
    return y.conj() if conjugate else y


@transpose_op.shape
def _transpose_shape(x: Any, *, perm: tuple | None, conjugate: bool) -> Any:
    if perm is None:
        return None if x.shape.ndims is None else TensorShape(x.shape.as_list()[::-1])
    n = len(perm)
    for axis in perm:
        if not -n <= axis < n:
            raise ValueError(f"perm dim {axis} is out of range of input rank {n}")
    if sorted(axis % n for axis in perm) != list(range(n)):
        raise ValueError(f"{list(perm)} is not a valid permutation of {n} dimensions")
    if x.shape.ndims is None:
        return unknown_shape(n)
    if x.shape.ndims != n:
        raise ValueError(f"Dimension must be {x.shape.ndims} but is {n}")
    sizes = x.shape.as_list()
    return TensorShape([sizes[axis] for axis in perm])


@transpose_op.gradient
def _transpose_grad(op: Any, dy: Tensor) -> list:
    perm, conjugate = op.attrs["perm"], op.attrs["conjugate"]
    if perm is not None:
        n = len(perm)
        perm = tuple(int(i) for i in np.argsort([axis % n for axis in perm]))
    return [transpose_op(dy, perm=perm, conjugate=conjugate, name="transpose")]


@transpose_op.batch
def _transpose_batch(op: Any, inputs: list, stacked: list) -> Any:
    perm, rank = op.attrs["perm"], op.inputs[0].shape.ndims
    if perm is None and rank is None:
        return None
    perm = behind(tuple(reversed(range(rank))) if perm is None else perm)
    return again(op, inputs, perm=(0, *perm))


def transpose(
    a: TensorLike, perm: Any = None, name: str = "transpose", conjugate: bool = False
) -> Tensor:
    """`a` with its axes in another order.

    Args:
      a: any tensor.
      perm: axis `perm[i]` of `a` becomes axis i of the result; None reverses the axes.
      name: the name.
      conjugate: whether complex elements are conjugated too.
    Example:
      >>> sess.run(tf.transpose([[1, 2, 3], [4, 5, 6]]))
      array([[1, 4],
             [2, 5],
             [3, 6]], dtype=int32)
      >>> tf.transpose(tf.zeros([8, 28, 28, 3]), [0, 3, 1, 2]).shape.as_list()
      [8, 3, 28, 28]
    """
    if isinstance(perm, (list, tuple)) and any(isinstance(p, (list, tuple)) for p in perm):
        raise ValueError("Shape must be rank 1 but is rank 2")
    tensor = convert_to_tensor(a, name="a")
    if run_time_axes.varies(perm):
        other = call("Conj", tensor) if conjugate and tensor.dtype.is_complex else tensor
        return run_time_axes.rearranged(other, perm, name)
    order = None if perm is None else static_ints(perm, "perm")
    return transpose_op(
        tensor, perm=order, conjugate=conjugate and tensor.dtype.is_complex, name=name
    )


@op(
    "BroadcastTo",
    "input: T, shape: Tidx -> output: T",
    host=("shape",),
    Tidx=dtypes.INDICES,
    alias=True,
    samples=[
        sample((3,), np.array([2, 3], np.int32)),
        sample((2, 1), np.array([4, 2, 3], np.int32)),
    ],
)
def broadcast_to_op(xp: Any, input: Any, shape: Any) -> Any:
    """Repeats `input` along new and along size-1 dimensions, without copying it."""
    try:
        return xp.broadcast_to(with_shape(input), shape.tolist()) if shape.size else input
    except ValueError:
        raise invalid(_broadcast_error(input, shape)) from None


def _broadcast_error(x: Any, shape: Any) -> str:
    if shape.ndim != 1:
        return f"shape must be a vector of {{int32,int64}}, got shape {shown(shape)}"
    if shape.min() < 0:
        return f"Dimension {shape.min()} must be >= 0"
    if np.ndim(x) > len(shape):
        return (
            f"Rank of input ({np.ndim(x)}) must be no greater than rank of output shape "
            f"({len(shape)})."
        )
    return f"Incompatible shapes: {shown(x)} vs. [{','.join(str(n) for n in shape.tolist())}]"


@broadcast_to_op.shape
def _broadcast_to_shape(input: Any, shape: Any) -> Any:
    wanted = shape.partial_shape
    if wanted.ndims is None or input.shape.ndims is None:
        return wanted
    if input.shape.ndims > wanted.ndims:
        raise ValueError(
            f"Shape must be at most rank {wanted.ndims} but is rank {input.shape.ndims}"
        )
    sizes = [1] * (wanted.ndims - input.shape.ndims) + input.shape.as_list()
    pairs = list(zip(wanted.as_list(), sizes, strict=True))
    for n, own in reversed(pairs):  # TensorFlow names the last axis that does not fit
        if None not in (n, own) and own not in (1, n):
            raise ValueError(f"Dimensions must be equal, but are {own} and {n}")
    return TensorShape([own if n is None and own != 1 else n for n, own in pairs])


@broadcast_to_op.gradient
def _broadcast_to_grad(op: Any, dy: Tensor) -> list:
    return [call("SumToShapeOf", dy, op.inputs[0]), None]


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """`input` repeated to `shape` under NumPy's broadcasting rule."""
    return broadcast_to_op(input, shape, name=name)


# ---- Tile --------------------------------------------------------------------------------


@op(
    "Tile",
    "input: T, multiples: Tmultiples -> output: T",
    host=("multiples",),
    Tmultiples=dtypes.INDICES,
    samples=[sample((2, 3), np.array([2, 1], np.int32)), sample((2,), np.array([3], np.int32))],
)
def tile_op(xp: Any, input: Any, multiples: Any) -> Any:
    """Repeats `input` along each dimension as often as `multiples` says."""
    if multiples.ndim != 1:
        raise invalid(f"Expected multiples to be 1-D, but got shape {shown(multiples)}")
    times = multiples.tolist()
    if len(times) != input.ndim:
        raise invalid(
            f"Expected multiples argument to be a vector of length {input.ndim} but got length "
            f"{len(times)}"
        )
    for i, count in enumerate(times):
        if count < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {count}")
    return xp.tile(input, times) if times else input


@tile_op.batch
def _tile_batch(op: Any, inputs: list, stacked: list) -> Any:
    return tile_op(inputs[0], joined([1], inputs[1]))


@tile_op.shape
def _tile_shape(input: Any, multiples: Any) -> Any:
    times = multiples.partial_shape
    if times.ndims is None:
        return unknown_shape(input.shape.ndims)
    sizes = input.shape if input.shape.ndims is not None else unknown_shape(times.ndims)
    if times.ndims != sizes.ndims:
        raise ValueError(f"Shape must be rank {sizes.ndims} but is rank {times.ndims}")
    pairs = zip(sizes.as_list(), times.as_list(), strict=True)
    return TensorShape([0 if 0 in (a, b) else None if None in (a, b) else a * b for a, b in pairs])


@tile_op.gradient
def _tile_grad(op: Any, dy: Tensor) -> list:
    x, multiples = op.inputs
    rank = op.outputs[0].shape.ndims
    if rank is None:
        raise ValueError(f"The gradient of '{op.name}' (op: 'Tile') needs an input of known rank.")
    pairs = transpose(call("Pack", [multiples, shape(x, out_type=multiples.dtype)], axis=0))
    split = reshape(dy, reshape(pairs, [-1]))  # (times, size) for every dimension
    return [call("Sum", split, axis=tuple(range(0, 2 * rank, 2))), None]


def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated along dimension i `multiples[i]` times.

    Args:
      input: any tensor.
      multiples: a vector of integers, one for each dimension of `input`.
      name: the operation's name.
    Example:
      >>> sess.run(tf.tile([[1, 2]], [2, 2]))
      array([[1, 2, 1, 2],
             [1, 2, 1, 2]], dtype=int32)
    """
    return tile_op(input, multiples, name=name)


# ---- Reverse, InvertPermutation ----------------------------------------------------------


@op(
    "ReverseV2",
    "tensor: T -> output: T",
    batch="axis",
    alias=True,
    samples=[sample((2, 3), axis=(0,)), sample((2, 3), axis=(1, -2))],
)
def reverse_op(xp: Any, tensor: Any, *, axis: tuple) -> Any:
    """Reverses the order of the elements along each of the axes."""
    for i, place in enumerate(axis):
        if not -tensor.ndim <= place < tensor.ndim:
            raise invalid(f"'axis'[{i}] = {place} is out of valid range [0, {tensor.ndim - 1}")
    return xp.flip(tensor, axis) if axis else tensor


@reverse_op.shape
def _reverse_shape(tensor: Any, *, axis: tuple) -> Any:
    rank = tensor.shape.ndims
    for i, a in enumerate(axis):
        if rank is not None and not -rank <= a < rank:
            raise ValueError(f"'axis'[{i}] = {a} is out of valid range [0, {rank - 1}")
        if rank is not None and a % rank in [b % rank for b in axis[:i]]:
            raise ValueError(f"axis {a % rank} specified more than once.")
    return tensor.shape


@reverse_op.gradient
def _reverse_grad(op: Any, dy: Tensor) -> list:
    return [reverse_op(dy, axis=op.attrs["axis"])]


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """`tensor` with its elements in the opposite order along the axes in `axis`."""
    if run_time_axes.varies(axis):
        return run_time_axes.mapped("ReverseV2", tensor, axis, name, axis=(-1,))
    return reverse_op(tensor, axis=static_ints(axis, "axis"), name=name)

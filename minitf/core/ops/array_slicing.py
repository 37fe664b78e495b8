"""Parts of a tensor: slice, NumPy's basic indexing `x[...]`, Boolean masks, and padding.

`x[1:, tf.newaxis, ..., i]` becomes one `StridedSlice` node. Its begin, end and strides are tensors,
since an index may be one. Five bit masks mark the entries that are missing, new axes or single
indices. The kernel turns the entries back into Python's slices.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import Dimension, TensorShape, check_same_dimensions, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops import run_time_axes
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import static_int
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import reshape, squeeze
from minitf.core.ops.batching import again, joined, only_first
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where
from minitf.core.ops.elementwise import invalid, sample, shown
from minitf.core.ops.string_values import with_shape

newaxis = None
_INDEX_ERROR = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)

# ---- Slice -------------------------------------------------------------------------------


@op(
    "Slice",
    "input: T, begin: Index, size: Index -> output: T",
    host=("begin", "size"),
    Index=dtypes.INDICES,
    alias=True,
    samples=[
        sample((3, 4), np.array([1, 0]), np.array([2, 3])),
        lambda rng: (rng.normal(size=(3, 4)), *np.array([[0, 1], [-1, 2]], np.int32), {}),
    ],
)
def slice_op(xp: Any, input: Any, begin: Any, size: Any) -> Any:
    """Takes the block of the given size that starts at `begin`; size -1 means: to the end."""
    entries = []
    for i, (b, s) in enumerate(zip(begin.tolist(), size.tolist(), strict=True)):
        n = input.shape[i]
        end = n if s == -1 else b + s
        if not 0 <= b <= n:
            raise invalid(f"Expected begin[{i}] in [0, {n}], but got {b}")
        if end > n or s < -1:
            raise invalid(f"Expected size[{i}] in [0, {n - b}], but got {s}")
        entries.append(builtins.slice(b, end))
    return with_shape(input)[tuple(entries)]


@slice_op.batch
def _slice_batch(op: Any, inputs: list, stacked: list) -> Any:
    x, begin, size = inputs
    return slice_op(x, joined([0], begin), joined([-1], size))


@slice_op.shape
def _slice_shape(input: Any, begin: Any, size: Any) -> Any:
    for vector in (begin, size):
        vector.shape.assert_has_rank(1)
    check_same_dimensions(begin.shape, size.shape)
    rank = begin.shape.as_list()[0] if begin.shape.ndims == 1 else None
    if rank is None:
        rank = size.shape.as_list()[0] if size.shape.ndims == 1 else input.shape.ndims
    if rank is not None and input.shape.ndims not in (None, rank):
        raise ValueError(f"Shape must be rank {rank} but is rank {input.shape.ndims}")
    if rank is None:
        return None
    known = size.partial_shape
    if size.value is not None and -1 in size.value.tolist():
        wholes = [None] * rank if input.shape.ndims is None else input.shape.as_list()
        starts = _known_elements(begin, rank)
        rests = []
        for n, b, s in zip(wholes, starts, size.value.tolist(), strict=True):
            if s == -1 and None not in (n, b) and b > n:
                raise ValueError(f"Negative dimension size caused by subtracting {b} from {n}")
            rests.append(s if s >= 0 else None if None in (n, b) else n - b)
        return TensorShape(rests)
    return unknown_shape(rank) if known.ndims is None else known


@slice_op.gradient
def _slice_grad(op: Any, dy: Tensor) -> list:
    x, begin, _ = op.inputs
    after = (
        shape_of(x, out_type=begin.dtype.base_dtype)
        - shape_of(op.outputs[0], out_type=begin.dtype.base_dtype)
        - begin
    )
    return [pad_op(dy, call("Pack", [begin, after], axis=1)), None, None]


def slice(input_: TensorLike, begin: TensorLike, size: Any, name: str | None = None) -> Tensor:
    """The block of `input_` that starts at `begin` and has the given size.

    Args:
      input_: a tensor of rank n.
      begin: [n] int32 or int64.
      size: [n] of the same type; -1 takes all that is left in a dimension.
      name: the name.
    Example:
      >>> sess.run(tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 2]))
      array([[2, 3],
             [5, 6]], dtype=int32)
    """
    return slice_op(input_, begin, size, name=name)


# ---- StridedSlice ------------------------------------------------------------------------


#: the attributes of slicing operations: bit masks, in which bit i marks entry i
MASKS = dict.fromkeys(
    ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0
)


def masks_of(op: Any) -> dict[str, int]:
    """The five bit masks of a slicing operation."""
    return {mask: op.attrs[mask] for mask in MASKS}


def entries_of(begin: Any, end: Any, strides: Any, masks: dict[str, int]) -> tuple:
    """The index that NumPy understands, from three vectors and the masks."""
    return _entries(*(tuple(v.tolist()) for v in (begin, end, strides)), **masks)


@lru_cache(maxsize=4096)
def _entries(begin: tuple, end: tuple, strides: tuple, **masks: int) -> tuple:
    """As `entries_of`; an element that is not known yet is None."""
    entries: list[Any] = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True)):
        marked = {name for name, mask in masks.items() if mask >> i & 1}
        if "ellipsis_mask" in marked:
            entries.append(Ellipsis)
        elif "new_axis_mask" in marked:
            entries.append(None)
        elif "shrink_axis_mask" in marked:
            entries.append(b)
        else:
            first = None if "begin_mask" in marked else b
            last = None if "end_mask" in marked else e
            entries.append(builtins.slice(first, last, s))
    return tuple(entries)


def _check_spec(strides: Sequence, ellipsis_mask: int, shrink_axis_mask: int) -> None:
    if ellipsis_mask & (ellipsis_mask - 1):
        raise ValueError("Multiple ellipses in slice spec not allowed")
    for i, stride in enumerate(strides):
        if stride == 0:
            raise ValueError(f"strides[{i}] must be non-zero")
        if shrink_axis_mask >> i & 1 and stride is not None and stride < 0:
            raise ValueError("only stride 1 allowed on non-range indexing.")


def _check_vectors(begin: Any, end: Any, strides: Any) -> None:
    """Raises unless the index vectors are vectors of one length."""
    for vector in (begin, end, strides):
        vector.shape.assert_has_rank(1)
    for first, second in ((begin, end), (begin, strides)):
        check_same_dimensions(first.shape, second.shape)


def _take(array: Any, entries: tuple, strides: Any) -> Any:
    try:
        return with_shape(array)[entries]
    except ValueError:
        zero = strides.tolist().index(0)
        raise invalid(f"strides[{zero}] must be non-zero") from None
    except IndexError as error:
        found = re.match(r"index (-?\d+) is out of bounds for axis (\d+)", str(error))
        rank = array.ndim
        text = f"Index out of range using input dim {rank}; input has only {rank} dims"
        if found:
            axis = int(found[2])
            place = int(found[1]) + (array.shape[axis] if int(found[1]) < 0 else 0)
            text = f"slice index {place} of dimension {axis} out of bounds."
        raise invalid(text) from None


_STRIDED_SAMPLES = [
    ([1, 0], [3, 4], [1, 2], {}),
    ([0, 3], [0, 0], [1, -1], {"begin_mask": 1, "end_mask": 3}),
    ([0, 0, -1], [0] * 3, [1] * 3, {"new_axis_mask": 1, "ellipsis_mask": 2, "shrink_axis_mask": 4}),
    ([1, 2], [2, 3], [1, 1], {"shrink_axis_mask": 3}),
]


def _strided_sample(begin: list, end: list, strides: list, masks: dict) -> Any:
    vectors = [np.array(v, np.int32) for v in (begin, end, strides)]
    return lambda rng: (rng.normal(size=(3, 4)), *vectors, masks)


@op(
    "StridedSlice",
    "input: T, begin: Index, end: Index, strides: Index -> output: T",
    attrs=MASKS,
    moves_elements=True,
    host=("begin", "end", "strides"),
    Index=dtypes.INDICES,
    alias=True,
    samples=[_strided_sample(*sample) for sample in _STRIDED_SAMPLES],
)
def strided_slice_op(xp: Any, input: Any, begin: Any, end: Any, strides: Any, **masks: int) -> Any:
    """Takes `input[begin:end:strides]`, with the entries that the masks mark read as they say."""
    return _take(input, entries_of(begin, end, strides, masks), strides)


@strided_slice_op.bind
def _strided_slice_bind(xp: Any, attrs: dict[str, Any], shapes: Any) -> Any:
    """A kernel with the masks bound, which takes a third less time for small slices."""
    entries = lru_cache(maxsize=256)(partial(_entries, **{mask: attrs[mask] for mask in MASKS}))

    def kernel(input: Any, begin: Any, end: Any, strides: Any) -> Any:
        vectors = tuple(begin.tolist()), tuple(end.tolist()), tuple(strides.tolist())
        return _take(input, entries(*vectors), strides)

    return kernel


@strided_slice_op.batch
def _strided_slice_batch(op: Any, inputs: list, stacked: list) -> Any:
    masks = {name: value << 1 for name, value in masks_of(op).items()}
    masks["begin_mask"] |= 1  # all examples
    masks["end_mask"] |= 1
    x, begin, end, strides = inputs
    return again(op, [x, joined([0], begin), joined([0], end), joined([1], strides)], **masks)


def _known_elements(spec: Any, count: int) -> tuple:
    """The elements of an index vector, None where one is not constant."""
    if spec.value is not None:
        return tuple(spec.value.tolist())
    known = spec.partial_shape
    return (None,) * count if known.ndims != count else tuple(known.as_list())


@strided_slice_op.shape
def _strided_slice_shape(input: Any, begin: Any, end: Any, strides: Any, **masks: int) -> Any:
    _check_vectors(begin, end, strides)
    count = next((v.shape.as_list()[0] for v in (begin, end, strides) if v.shape.ndims == 1), None)
    if count is None:
        return None
    vectors = [_known_elements(v, count) for v in (begin, end, strides)]
    _check_spec(vectors[2], masks["ellipsis_mask"], masks["shrink_axis_mask"])
    if input.shape.ndims is None:
        return None
    sizes = input.shape.as_list()
    taken = count - bin(masks["new_axis_mask"] | masks["ellipsis_mask"]).count("1")
    if not sizes and taken:
        raise ValueError("Attempting to slice scalar input.")
    if taken > len(sizes):
        raise ValueError(
            f"Index out of range using input dim {len(sizes)}; input has only {len(sizes)} dims"
        )
    return TensorShape(_sliced_sizes(sizes, vectors, masks, len(sizes) - taken))


def _sliced_sizes(sizes: list, vectors: list, masks: dict, spared: int) -> list:
    """The sizes of a slice; the ellipsis, or the end, stands for `spared` dimensions."""
    entries = _entries(*vectors, **masks)
    result: list[int | None] = []
    axis = 0
    for i, entry in enumerate(entries):
        bit = 1 << i
        if entry is Ellipsis:
            result += sizes[axis : axis + spared]
            axis += spared
        elif masks["new_axis_mask"] & bit:
            result.append(1)
        elif masks["shrink_axis_mask"] & bit:
            n = sizes[axis]
            if None not in (entry, n) and not -n <= entry < n:
                place = entry + n if entry < 0 else entry
                raise ValueError(f"slice index {place} of dimension {axis} out of bounds.")
            axis += 1
        else:
            given = [vectors[2][i]]
            given += [] if masks["begin_mask"] & bit else [vectors[0][i]]
            given += [] if masks["end_mask"] & bit else [vectors[1][i]]
            known = None not in given and sizes[axis] is not None
            result.append(len(range(*entry.indices(sizes[axis]))) if known else None)
            axis += 1
    return result + sizes[axis:]


@strided_slice_op.gradient
def _strided_slice_grad(op: Any, dy: Tensor) -> list:
    x, begin, end, strides = op.inputs
    sizes = shape_of(x, out_type=begin.dtype.base_dtype)
    return [strided_slice_grad_op(sizes, begin, end, strides, dy, **masks_of(op)), None, None, None]


def _strided_grad_sample(begin: list, end: list, strides: list, masks: dict) -> Any:
    sample = _strided_sample(begin, end, strides, masks)

    def grad_sample(rng: np.random.Generator) -> tuple:
        x, b, e, s, attrs = sample(rng)
        dy = strided_slice_op.kernel(np, x, b, e, s, **attrs)
        return np.array([3, 4], np.int32), b, e, s, dy, attrs

    return grad_sample


@op(
    "StridedSliceGrad",
    "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T",
    attrs=MASKS,
    host=("shape", "begin", "end", "strides"),
    Index=dtypes.INDICES,
    samples=[_strided_grad_sample(*sample) for sample in _STRIDED_SAMPLES],
)
def strided_slice_grad_op(
    xp: Any, shape: Any, begin: Any, end: Any, strides: Any, dy: Any, **masks: int
) -> Any:
    """Writes `dy` into zeros of the given shape, at the place of the slice."""
    result = xp.zeros(shape.tolist(), dy.dtype)
    result[entries_of(begin, end, strides, masks)] = dy
    return result


@strided_slice_grad_op.shape
def _strided_slice_grad_shape(shape: Any, *rest: Any, **masks: int) -> Any:
    return shape.partial_shape


@strided_slice_grad_op.gradient
def _strided_slice_grad_grad(op: Any, dy: Tensor) -> list:
    _, begin, end, strides, _ = op.inputs
    return [None, None, None, None, strided_slice_op(dy, begin, end, strides, **masks_of(op))]


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """`input_[begin:end:strides]`, an entry a dimension; usually written with brackets.

    Bit i of a mask marks entry i: begin or end missing, an ellipsis, a new axis, a single index.
    """
    if strides is None:
        strides = ones_like(begin)
    given = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    masks = dict(zip(MASKS, given, strict=True))
    return strided_slice_op(input_, begin, end, strides, name=name, **masks)


# ---- Pad, PadV2 --------------------------------------------------------------------------


def pad_shape(input: Any, paddings: Any, *rest: Any, **attrs: Any) -> Any:
    """The shape function of padding operations."""
    paddings.shape.assert_has_rank(2)
    rank, pair = paddings.shape.as_list() if paddings.shape.ndims == 2 else (None, None)
    if pair not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {pair}")
    if rank is not None and input.shape.ndims not in (None, rank):
        raise ValueError(f"Shape must be rank {rank} but is rank {input.shape.ndims}")
    known = paddings.value
    if known is not None and known.size and known.min() < 0:
        raise ValueError("Paddings must be non-negative")
    rows = paddings.partial_rows if known is None else known.tolist()
    if rows is None or input.shape.ndims is None:
        return unknown_shape(input.shape.ndims if rank is None else rank)
    pairs = zip(input.shape.as_list(), rows, strict=True)
    return TensorShape([None if None in (n, *pad) else n + sum(pad) for n, pad in pairs])


def _padded(xp: Any, x: Any, paddings: Any, value: Any) -> Any:
    pads = paddings.tolist()
    if len(pads) != x.ndim:
        raise invalid(
            "The first dimension of paddings must be the rank of inputs"
            f"{shown(paddings)} {shown(x)}"
        )
    for before, after in pads:
        if before < 0 or after < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")
    pairs = list(zip(pads, x.shape, strict=True))
    y = xp.full([n + sum(pad) for pad, n in pairs], value, x.dtype)
    y[tuple(builtins.slice(before, before + n) for (before, _), n in pairs)] = x
    return y


def _pad_kernel(xp: Any, input: Any, paddings: Any) -> Any:
    """Puts zeros before and after `input` in each dimension."""
    return _padded(xp, input, paddings, b"" if input.dtype == object else 0)


def _pad_v2_kernel(xp: Any, input: Any, paddings: Any, constant_values: Any) -> Any:
    """Puts the value `constant_values` before and after `input` in each dimension."""
    return _padded(xp, input, paddings, constant_values)


def _pad_grad(op: Any, dy: Tensor) -> list:
    x, paddings = op.inputs[:2]
    begins = {"begin_mask": 1, "end_mask": 1, "shrink_axis_mask": 2}
    before = strided_slice_op(paddings, [0, 0], [0, 1], [1, 1], **begins)
    dx = slice_op(dy, before, shape_of(x, out_type=paddings.dtype.base_dtype))
    if len(op.inputs) == 2:
        return [dx, None]
    return [dx, None, call("Sum", dy, axis=None) - call("Sum", dx, axis=None)]


def _pad_batch(op: Any, inputs: list, stacked: list) -> Any:
    if not only_first(stacked):
        return None
    x, paddings, *value = inputs
    none = constant([[0, 0]], paddings.dtype.base_dtype)
    return again(op, [x, call("ConcatV2", [none, paddings], axis=0), *value])


def _declare_pad(op_type: str, value: str, kernel: Any, *values: Any) -> OpDef:
    pads = np.array([[1, 0], [0, 2]], np.int32)
    op_def: OpDef = op(
        op_type,
        f"input: T, paddings: Tpaddings{value} -> output: T",
        host=("paddings",),
        Tpaddings=dtypes.INDICES,
        samples=[lambda rng: (rng.normal(size=(2, 3)), pads, *values, {})],
    )(kernel)
    op_def.shape(pad_shape)
    op_def.gradient(_pad_grad)
    op_def.batch(_pad_batch)
    return op_def


pad_op = _declare_pad("Pad", "", _pad_kernel)
pad_v2_op = _declare_pad("PadV2", ", constant_values: T", _pad_v2_kernel, 1.5)


# ---- x[...] ------------------------------------------------------------------------------


def _is_mask(index: Any) -> bool:
    if isinstance(index, bool):
        return True
    return getattr(index, "dtype", None) is not None and dtypes.as_dtype(index.dtype) == dtypes.bool


def _check_index(index: Any) -> None:
    if isinstance(index, (int, Dimension)):
        return
    dtype = getattr(index, "dtype", None)
    allowed = dtype is not None and dtypes.as_dtype(dtype).base_dtype in dtypes.INDICES
    rank = TensorShape(index.shape).ndims if allowed else None
    if not allowed or rank == 1:
        raise TypeError(f"{_INDEX_ERROR}, got {index!r}")


def getitem(tensor: Any, index: Any) -> Tensor:
    """`tensor[index]`, with integers, slices, `...`, `tf.newaxis` and scalar tensors.

    A Boolean mask chooses elements as `boolean_mask` does.

    Raises:
      TypeError: for an index of another kind.
      ValueError: when it lies outside the static shape.
    """
    if _is_mask(index):
        return boolean_mask(tensor, index)
    items = list(index) if isinstance(index, (list, tuple)) else [index]
    items = [item._as_tensor() if hasattr(item, "_as_tensor") else item for item in items]
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict(MASKS)
    for i, item in enumerate(items):
        bit = 1 << i
        if isinstance(item, builtins.slice):
            first, last, step = _slice_parts(item)
            masks["begin_mask"] |= bit * (item.start is None)
            masks["end_mask"] |= bit * (item.stop is None)
        elif item is Ellipsis or item is None:
            first, last, step = 0, 0, 1
            masks["ellipsis_mask" if item is Ellipsis else "new_axis_mask"] |= bit
        else:
            _check_index(item)
            first, last, step = item, item + 1, 1
            masks["shrink_axis_mask"] |= bit
        begin.append(first)
        end.append(last)
        strides.append(step)
    with name_scope(None, "strided_slice", [tensor]) as scope:
        packed = [
            convert_to_tensor(_whole(v), name=n)
            for v, n in ((begin, "stack"), (end, "stack_1"), (strides, "stack_2"))
        ]
        if any(p.dtype == dtypes.int64 for p in packed):
            packed = [cast(p, dtypes.int64) for p in packed]
        return strided_slice_op(tensor, *packed, **masks, name=scope)


def _slice_parts(item: builtins.slice) -> list:
    """Start, stop and step; if one is a tensor, missing ones become constants of its type."""
    given = [v for v in (item.start, item.stop, item.step) if v is not None]
    for value in given:
        _check_index(int(value) if isinstance(value, np.integer) else value)
    types = [v.dtype.base_dtype for v in given if hasattr(v, "_as_tensor")]
    parts = []
    for value, default in ((item.start, 0), (item.stop, 0), (item.step, 1)):
        value = value._as_tensor() if hasattr(value, "_as_tensor") else value
        if value is None:
            value = default
            if types:
                value = constant(default, max(types, key=dtypes.INDICES.index))
        parts.append(value)
    return parts


def _whole(values: list) -> Any:
    """The values of one vector: an array if all are numbers; int64 if one tensor is int64."""
    if not any(isinstance(v, Tensor) for v in values):
        return np.array([int(v) for v in values], np.int32)
    wide = any(isinstance(v, Tensor) and v.dtype.base_dtype == dtypes.int64 for v in values)
    if not wide:
        return values
    return [cast(v, dtypes.int64) if isinstance(v, Tensor) else v for v in values]


# ---- masks -------------------------------------------------------------------------------


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Tensor:
    """The elements of `tensor` where `mask` is true, in their order.

    Args:
      tensor: any tensor.
      mask: bool; its shape is that of the tensor's axes from `axis` on. Its rank must be known.
      name: the name of the scope.
      axis: where the mask's axes begin; 0 by default.
    Returns: a tensor with one axis, of as many elements as the mask has true ones, in their place.
    Raises:
      ValueError: when the mask is a scalar, its rank is unknown, or the shapes do not fit.
    """
    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        rank = mask.shape.ndims
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if rank is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  "
                "E.g. shape=[None] is ok, but shape=None is not."
            )
        place = 0 if axis is None else axis
        if not run_time_axes.varies(place):
            place = static_int(place, "axis")
            tensor.shape[place : place + rank].assert_is_compatible_with(mask.shape)
        if rank > 1:
            tensor = _join_axes(tensor, place, rank)
            mask = reshape(mask, [-1])
        return gather(tensor, squeeze(where(mask), axis=[1]), axis=place)


def _join_axes(tensor: Tensor, axis: Any, count: int) -> Tensor:
    """`tensor` with `count` axes, from `axis` on, merged into one."""
    if tensor.shape.ndims is not None and not isinstance(axis, Tensor):
        sizes = tensor.shape.as_list()
        kept = sizes[:axis] + sizes[axis + count :]
        if None not in kept and 0 not in kept:
            return reshape(tensor, [*sizes[:axis], -1, *sizes[axis + count :]])
    sizes = shape_of(tensor)
    joined = call("Prod", sizes[axis : axis + count], axis=None, keep_dims=False)
    parts = [sizes[:axis], reshape(joined, [1]), sizes[axis + count :]]
    return reshape(tensor, call("ConcatV2", parts, axis=0))

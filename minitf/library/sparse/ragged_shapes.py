"""Shapes with ragged axes as tensors, and how ragged operands are brought to one shape.

    [[1, 2], [], [3, 4, 5]]          partitioned 3, (2, 0, 3)         inner: none
    [[[1, 2], [3, 4]], [[5, 6]]]     partitioned 2, (2, 1)            inner 2

`meet` goes down the partitioned axes of all operands at once and keeps, for each slice of what
comes out, which slice of every operand stands there; so one `gather` repeats the values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import is_
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size as size_of
from minitf.core.ops.array_filling import fill, zeros
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, where
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.reductions import reduce_all
from minitf.library.sparse.ragged_rules import ids_of, is_ragged, splits_of


class RaggedTensorDynamicShape:
    """The shape of a tensor that may be ragged.

    Args:
      partitioned_dim_sizes: the axes down to the last ragged one, from the outermost: a scalar
        where all slices have one length, a vector of lengths where the axis is ragged.
      inner_dim_sizes: [n] the sizes of the axes below.
      dim_size_dtype: int64 or int32; by default that of the vectors.
    Raises:
      ValueError: when the outermost partitioned axis is ragged, or the innermost is not.
    """

    def __init__(
        self, partitioned_dim_sizes: Sequence[Any], inner_dim_sizes: Any, dim_size_dtype: Any = None
    ) -> None:
        sizes = [convert_to_tensor(each) for each in partitioned_dim_sizes]
        if sizes and sizes[0].shape.ndims == 1:
            raise ValueError("outermost partitioned dimension must be uniform")
        if sizes and sizes[-1].shape.ndims == 0:
            raise ValueError("innermost partitioned dimension must be ragged")
        kinds = {each.dtype for each in sizes if each.shape.ndims == 1}
        if dim_size_dtype is None and len(kinds) > 1:
            raise ValueError("partitioned_dim_sizes must have matching dtypes")
        dtype = dim_size_dtype or next(iter(kinds), dtypes.int64)
        self.partitioned_dim_sizes = tuple(cast(each, dtype) for each in sizes)
        self.inner_dim_sizes = cast(
            convert_to_tensor(inner_dim_sizes, preferred_dtype=dtypes.int64), dtype
        )
        self.inner_dim_sizes.shape.assert_has_rank(1)

    @classmethod
    def from_tensor(cls, rt_input: Any, dim_size_dtype: Any = None) -> RaggedTensorDynamicShape:
        """The shape of a tensor."""
        if not is_ragged(rt_input):
            return cls([], shape_of(convert_to_tensor(rt_input)), dim_size_dtype)
        sizes = rt_input.nrows(), *rt_input.nested_row_lengths()
        return cls(sizes, shape_of(rt_input.flat_values)[1:], dim_size_dtype)

    @property
    def num_partitioned_dimensions(self) -> int:
        """How many axes there are down to the last ragged one."""
        return len(self.partitioned_dim_sizes)

    @property
    def num_inner_dimensions(self) -> int | None:
        """How many axes there are below; None where that is not known."""
        return self.inner_dim_sizes.shape.as_list()[0]

    @property
    def dim_size_dtype(self) -> dtypes.DType:
        """The type of the sizes."""
        return self.inner_dim_sizes.dtype

    @property
    def rank(self) -> int | None:
        """The number of axes; None where it is not known."""
        inner = self.num_inner_dimensions
        return None if inner is None else self.num_partitioned_dimensions + inner

    def dimension_size(self, axis: int) -> Tensor:
        """The size of an axis: a scalar, or a vector of lengths."""
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        inner = axis - self.num_partitioned_dimensions
        return self.partitioned_dim_sizes[axis] if inner < 0 else self.inner_dim_sizes[inner]

    def broadcast_to_rank(self, rank: int) -> RaggedTensorDynamicShape:
        """The shape with axes of size 1 in front."""
        if self.rank is None:
            raise ValueError("Unable to broadcast: self.rank is unknown")
        if rank < self.rank:
            raise ValueError(
                f"Unable to broadcast: rank={rank} must be greater than self.rank={self.rank}."
            )
        more, dtype = [1] * (rank - self.rank), self.dim_size_dtype
        if self.partitioned_dim_sizes:
            sizes = [*more, *self.partitioned_dim_sizes]
            return RaggedTensorDynamicShape(sizes, self.inner_dim_sizes, dtype)
        inner = concat([convert_to_tensor(more, dtype), self.inner_dim_sizes], 0)
        return RaggedTensorDynamicShape([], inner, dtype)

    def __repr__(self) -> str:
        return (
            f"RaggedTensorDynamicShape(partitioned_dim_sizes={self.partitioned_dim_sizes!r}, "
            f"inner_dim_sizes={self.inner_dim_sizes!r})"
        )


class Meeting(NamedTuple):
    """What comes out where shapes meet, down to the last axis that is ragged in any of them."""

    sizes: list[Tensor]  # of these axes, scalars and vectors
    splits: list[Tensor]  # the same as `nested_row_splits`
    places: list[Tensor]  # for each shape the slices of its last such axis, as often as repeated
    inner: int  # how many axes are left below

    def values(self, number: int, value: Any) -> Tensor:
        """The innermost values of an operand as they stand in what comes out."""
        flat = value.flat_values if is_ragged(value) else value
        if value.shape.ndims <= self.inner:
            return flat
        below = flat.shape[flat.shape.ndims - self.inner :]
        if flat.shape.ndims > self.inner + 1:
            flat = reshape(flat, concat([[-1], shape_of(flat)[flat.shape.ndims - self.inner :]], 0))
            flat.set_shape(TensorShape([None]).concatenate(below))
        return gather(flat, self.places[number])


def meet(shapes: Sequence[RaggedTensorDynamicShape]) -> Meeting:
    """Brings shapes to one.

    Raises:
      ValueError: when a rank is not known.
      InvalidArgumentError: in the step, when the shapes do not fit.
    """
    ranks = [shape.rank for shape in shapes]
    if None in ranks:
        raise ValueError("Unable to broadcast: unknown rank")
    rank = max(ranks)  # type: ignore[type-var]
    depths = [rank - s.rank + s.num_partitioned_dimensions for s in shapes]  # type: ignore[operator]
    depth = max(d for d, s in zip(depths, shapes, strict=True) if s.partitioned_dim_sizes)
    dtype = shapes[0].dim_size_dtype
    places, found, cuts = [zeros([1], dtype)] * len(shapes), [], []
    for axis in range(depth):
        aligned = [shape.broadcast_to_rank(rank).dimension_size(axis) for shape in shapes]
        sizes = [cast(size, dtype) for size in aligned]
        lengths = [gather(s, p) if s.shape.ndims else s for s, p in zip(sizes, places)]
        out = next((each for each in lengths if each.shape.ndims), None)
        ragged, uniform = out is not None, [each for each in lengths if not each.shape.ndims]
        if out is None:
            out = reduce(lambda one, other: where(equal(one, 1), other, one), lengths)
        fits = [equal(each, 1) | reduce_all(equal(each, out)) for each in uniform]
        fits += [reduce_all(equal(each, out)) for each in lengths if each.shape.ndims]
        text = "Unable to broadcast: dimension size mismatch in dimension"
        with stacks.control_dependencies([Assert(reduce_all(stack(fits)), [text, axis, *lengths])]):
            out = identity(out)
        found.append(out)
        each_row = out if ragged else fill([size_of(places[0])], out)
        cuts.append(splits := splits_of(each_row))
        rows = ids_of(splits)
        columns = cast(range_of(size_of(rows)), dtype) - gather(splits, rows)
        places = [
            gather(gather(splits_of(s), p), rows) + columns
            if s.shape.ndims
            else gather(p * s, rows) + columns * cast(s > 1, dtype)
            for s, p in zip(sizes, places, strict=True)
        ]
    return Meeting(found, cuts[1:], places, rank - depth)


def mapped(function: Callable[..., Tensor], like: Any, inputs: Sequence[Any]) -> Any:
    """A function of the innermost values of operands, which are brought to one shape.

    Args:
      function: gets the inputs, with values in place of ragged tensors.
      like: the one with the most ragged axes.
      inputs: operands, or one list of them.
    """
    kind, listed = like.dtype.base_dtype, isinstance(inputs[0], (list, tuple))
    given = inputs[0] if listed else inputs
    given = [i if is_ragged(i) else convert_to_tensor(i, preferred_dtype=kind) for i in given]
    if together := all(_fits(each, like) for each in given):
        flat = [each.flat_values if is_ragged(each) else each for each in given]
    else:
        dtype = like.row_splits.dtype
        found = meet([RaggedTensorDynamicShape.from_tensor(each, dtype) for each in given])
        flat = [found.values(i, each) for i, each in enumerate(given)]
    values = function(flat) if listed else function(*flat)
    if together:
        return like.with_flat_values(values)
    return like.from_nested_row_splits(values, found.splits, validate=False)


def _fits(value: Any, like: Any) -> bool:
    """Whether an operand surely has the rows of `like`, or is one value for all of them."""
    if not is_ragged(value):
        return value.shape.ndims is not None and value.shape.ndims < like.flat_values.shape.ndims
    splits = list(value.nested_row_splits)
    return len(splits) == like.ragged_rank and all(map(is_, splits, like.nested_row_splits))

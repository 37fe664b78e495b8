"""Arithmetic of shapes: what graphs that were made by TensorFlow compute beside their tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_cpu
from minitf.core.ops.elementwise import invalid, sample

# ---- BroadcastArgs, BroadcastGradientArgs ------------------------------------------------


@op(
    "BroadcastArgs",
    "s0: T, s1: T -> r0: T",
    T=dtypes.INDICES,
    host=("s0", "s1", "r0"),
    samples=[
        sample(np.array([2, 1, 3], np.int32), np.array([4, 1], np.int32)),
        sample(np.array([1, 0], np.int64), np.array([2, 1], np.int64)),
    ],
)
def broadcast_args_op(xp: Any, s0: Any, s1: Any) -> Any:
    """Gives the shape that two shapes broadcast to."""
    one, other = _aligned(s0, s1)
    return np.where(one == 1, other, one).astype(s0.dtype)


@broadcast_args_op.shape
def _broadcast_args_shape(s0: Any, s1: Any) -> Any:
    for each in (s0, s1):
        each.shape.assert_has_rank(1)
    ranks = [None if each.shape.ndims is None else each.shape.as_list()[0] for each in (s0, s1)]
    return TensorShape([None if None in ranks else max(ranks)])


def _aligned(s0: np.ndarray, s1: np.ndarray) -> list[np.ndarray]:
    """Two shapes that broadcast, with ones before the shorter one."""
    rank = max(s0.size, s1.size)
    sizes = [np.array([1] * (rank - s.size) + s.tolist(), int) for s in (s0, s1)]
    if not all(one == other or 1 in (one, other) for one, other in zip(*sizes, strict=True)):
        texts = [f"[{','.join(map(str, s.tolist()))}]" for s in (s0, s1)]
        raise invalid(f"Incompatible shapes: {texts[0]} vs. {texts[1]}")
    return sizes


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two shapes, given as vectors, broadcast to.

    Raises:
      InvalidArgumentError: by the step, when the shapes do not broadcast.
    """
    return call("BroadcastArgs", shape_x, shape_y)


@op(
    "BroadcastGradientArgs",
    "s0: T, s1: T -> r0: T, r1: T",
    T=dtypes.INDICES,
    host=("s0", "s1", "r0", "r1"),
    samples=[
        sample(np.array([2, 3], np.int32), np.array([3], np.int32)),
        sample(np.array([2, 1, 3], np.int64), np.array([4, 1], np.int64)),
        sample(np.array([2], np.int32), np.array([2], np.int32)),
    ],
)
def broadcast_gradient_args_op(xp: Any, s0: Any, s1: Any) -> Any:
    """Gives the axes over which the gradients of two broadcast operands are summed.

    Graphs that were made by TensorFlow have it; gradients made here use `SumToShapeOf`.
    """
    return list(_summed_axes(s0, s1))


def _summed_axes(s0: np.ndarray, s1: np.ndarray) -> list[np.ndarray]:
    sizes = _aligned(s0, s1)
    if np.array_equal(s0, s1):
        return [np.zeros(0, s0.dtype)] * 2
    return [np.flatnonzero(each == 1).astype(s0.dtype) for each in sizes]


@broadcast_gradient_args_op.shape
def _broadcast_gradient_args_shape(s0: Any, s1: Any) -> Any:
    if s0.value is None or s1.value is None:
        return [TensorShape([None])] * 2
    axes = _summed_axes(np.asarray(s0.value), np.asarray(s1.value))
    return [TensorShape([each.size]) for each in axes]


@op(
    "InvertPermutation",
    "x: T -> y: T",
    T=dtypes.INDICES,
    samples=[lambda rng: (rng.permutation(5).astype(np.int32), {})],
)
def invert_permutation_op(xp: Any, x: Any) -> Any:
    """Gives y with `y[x[i]] == i`."""
    y = xp.full(x.shape, -1, x.dtype)
    if on_cpu(xp) and x.size:
        _check_permutation(x.tolist())
    y[x] = xp.arange(x.size, dtype=x.dtype)
    return y


def _check_permutation(numbers: list[int]) -> None:
    """Refuses numbers that are not 0, 1, ... in some order."""
    seen: set[int] = set()
    for number in numbers:
        if not 0 <= number < len(numbers):
            raise invalid(f"{number} is not between 0 and {len(numbers)}")
        if number in seen:
            raise invalid(f"{number} is duplicated in the input.")
        seen.add(number)


@invert_permutation_op.shape
def _invert_permutation_shape(x: Any) -> Any:
    return x.shape.with_rank(1)


# ---- ConcatOffset ------------------------------------------------------------------------


@op(
    "ConcatOffset",
    "concat_dim: int32, shape: N*int32 -> offset: N*int32",
    host_only=True,
    samples=[
        sample(np.int32(1), [np.array([2, n], np.int32) for n in (3, 1)]),
        sample(np.int32(-1), [np.array([n], np.int32) for n in (2, 5, 1)]),
    ],
)
def concat_offset_op(xp: Any, concat_dim: Any, shape: Any) -> Any:
    """Says where in a concatenation each part begins.

    Graphs that were made by TensorFlow have it; gradients made here cut by `SplitV`.
    """
    sizes = np.array(shape)
    ends = np.cumsum(sizes[:, concat_dim])
    starts = np.zeros_like(sizes)
    starts[1:, concat_dim] = ends[:-1]
    return list(starts)


@concat_offset_op.shape
def _concat_offset_shape(concat_dim: Any, shape: Any) -> Any:
    return [each.shape for each in shape]

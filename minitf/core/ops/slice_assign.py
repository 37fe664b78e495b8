"""Assignment to a part of a variable: `v[1:, 0].assign(x)`.

The part is named as it is read; the tensor that `v[1:, 0]` gives has a method `assign`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.state import VariableState
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_slicing import entries_of, getitem, masks_of
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.ops.state import assign, variable_v2


@op(
    "StridedSliceAssign",
    "ref: T&, begin: Index, end: Index, strides: Index, value: T -> output_ref: T&",
    host=("begin", "end", "strides"),
    Index=dtypes.INDICES,
    differentiable=None,
    program=lambda folder: _program(),
)
def strided_slice_assign_op(
    ctx: Any,
    ref: VariableState,
    begin: Any,
    end: Any,
    strides: Any,
    value: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> VariableState:
    """Replaces the part `ref[begin:end:strides]` of a variable."""
    vectors = (tuple(v.tolist()) for v in (begin, end, strides))
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    entries = entries_of(*vectors, *masks)
    with ref.lock:
        scalar = np.ndim(ref.value) == 0  # held as a number, which nothing is written into
        target = ref.value if ctx.in_place and not scalar else ctx.xp.array(ref.value)
        part = target[entries]
        if not np.size(part):
            return ref
        if np.shape(part) != np.shape(value) and np.shape(value) != ():
            raise invalid(
                "l-value shape mismatch: slice of shape "
                f"{list(np.shape(part))} does not equal {shown(value)}"
            )
        target[entries] = value
        ref.value = target[()] if scalar else target
    return ref


def _program() -> list:
    """A column of a matrix of zeros becomes 1, 2."""
    ref = variable_v2([3, 2], dtypes.float32)
    zeros, after = np.zeros((3, 2), np.float32), np.array([[0, 0], [0, 1], [0, 2]], np.float32)
    part = strided_slice_assign_op(ref, [1, 1], [3, 2], [1, 1], [1.0, 2.0], shrink_axis_mask=2)
    return [(assign(ref, zeros), zeros), (part, after), (ref, after)]


strided_slice_assign_op.shape(unchanged_shape)


def part_of(variable: Any, index: Any) -> Tensor:
    """`variable[index]`, with a method `assign(value, name=None)` for that part of it."""
    part = getitem(variable._as_tensor(), index)
    cut: Any = getattr(part, "_op", None)
    if not part.has_value and cut.type != "StridedSlice":
        return part

    def assign(value: Any, name: str | None = None) -> Any:
        if part.has_value:
            whole = np.array(variable.numpy())
            whole[index] = value
            return variable.assign(whole)
        ref, name = variable._as_ref_tensor(), name or f"{cut.name}/_assign"
        return strided_slice_assign_op(ref, *cut.inputs[1:], value, name=name, **masks_of(cut))

    part.assign = assign  # type: ignore[attr-defined]
    return part

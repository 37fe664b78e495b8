"""Changes of a part of a variable: of chosen rows, or of what an index names.

    scatter_add(v, indices, updates)    v[indices[i]] += updates[i]
    v[1:, 0].assign(x)                  v[1:, 0] = x

What happens at a place is a function of the family below. A place named twice gets both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, op, unchanged_shape
from minitf.core.graph.state import VariableState
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.rows import (
    add_rows,
    check_indices,
)
from minitf.core.ops.array import check_same_dimensions
from minitf.core.ops.array_slicing import MASKS, entries_of, getitem, masks_of
from minitf.core.ops.elementwise import invalid, named, shown
from minitf.core.ops.state import assign, variable_v2

# ---- what happens at a place -------------------------------------------------------------


def _put(xp: Any, target: Any, places: Any, updates: Any) -> None:
    target[places] = updates


def _add(xp: Any, target: Any, places: Any, updates: Any) -> None:
    add_rows(xp, target, places, updates)


def _subtract(xp: Any, target: Any, places: Any, updates: Any) -> None:
    add_rows(xp, target, places, updates, subtract=True)


def _one_by_one(ufunc: str) -> Callable[..., None]:
    def change(xp: Any, target: Any, places: Any, updates: Any) -> None:
        function = getattr(xp, ufunc)
        if target.dtype.kind in "iu" and ufunc == "divide":
            function = xp.floor_divide
        function.at(target, places, updates)

    return change


_CHANGES: dict[str, tuple[Callable[..., None], str]] = {
    "Update": (_put, "Replaces"),
    "Add": (_add, "Adds to"),
    "Sub": (_subtract, "Subtracts from"),
    "Mul": (_one_by_one("multiply"), "Multiplies"),
    "Div": (_one_by_one("divide"), "Divides"),
    "Min": (_one_by_one("minimum"), "Lowers"),
    "Max": (_one_by_one("maximum"), "Raises"),
}
#: what each makes of 4 in a variable and 2 that comes
_MADE_OF_4_AND_2 = {"Update": 2, "Add": 6, "Sub": 2, "Mul": 8, "Div": 2, "Min": 2, "Max": 4}


# ---- rows of a variable ------------------------------------------------------------------


def _row_shape(ref: Any, indices: Any, updates: Any, *, use_locking: bool) -> Any:
    if ref.shape.ndims is not None and updates.shape.ndims != 0:
        expected = indices.shape.concatenate(ref.shape[1:])
        check_same_dimensions(updates.shape, expected)
    return ref.shape


def _row_scatter(kind: str) -> Callable[..., Tensor]:
    """Declares one of the operations, and returns the function for it."""
    function, verb = _CHANGES[kind]

    def kernel(
        ctx: Any, ref: VariableState, indices: Any, updates: Any, *, use_locking: bool = False
    ) -> VariableState:
        with ref.lock:
            target = ref.value if ctx.may_overwrite(ref) else ctx.xp.array(ref.value)
            fits = (*indices.shape, *target.shape[1:])
            if updates.shape not in (fits, ()):  # NumPy would broadcast
                raise invalid(
                    "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape "
                    f"= [], got updates.shape {shown(updates)}, indices.shape {shown(indices)}, "
                    f"params.shape {shown(target)}"
                )
            check_indices(ctx.xp, indices, target.shape[0])
            function(ctx.xp, target, indices, updates)
            ref.value = target
        return ref

    def program(folder: str) -> list:
        """A variable of fours, and what it holds after two of its rows met twos."""
        ref = variable_v2([3, 2], dtypes.float32)
        fours, twos = np.full((3, 2), 4, np.float32), np.full((2, 2), 2, np.float32)
        after = fours.copy()
        after[[2, 0]] = _MADE_OF_4_AND_2[kind]
        return [(assign(ref, fours), fours), (op_def(ref, [2, 0], twos), after), (ref, after)]

    op_def: OpDef = op(
        f"Scatter{kind}",
        "ref: T&, indices: Tindices, updates: T -> output_ref: T&",
        doc=f"{verb} rows of a variable.",
        Tindices=dtypes.INDICES,
        host_only=kind in ("Mul", "Div"),  # CuPy has no `multiply.at`
        differentiable=None if kind in ("Update", "Min", "Max") else False,
        program=program,
        **({} if kind == "Update" else {"T": dtypes.NUMBERS}),
    )(kernel)
    op_def.shape(_row_shape)

    def public(
        ref: Any,
        indices: Any,
        updates: Any,
        use_locking: bool = kind == "Update",
        name: str | None = None,
    ) -> Tensor:
        return op_def(ref, indices, updates, use_locking=use_locking, name=name)

    doc = f"""{verb} row `indices[i]` of a variable.

    Args:
      ref: a variable, or its reference.
      indices: int32 or int64.
      updates: of the variable's type, a slice of it for each index.
      use_locking: accepted; an update always holds the variable's lock.
      name: the operation's name.
    Returns: the reference: what reads it, reads the new value.
    Raises:
      ValueError: when the static shapes do not fit.
      InvalidArgumentError: when it runs and an index is outside, or a shape does not fit.
    """
    return named(public, f"scatter_{kind.lower()}", doc)


scatter_update = _row_scatter("Update")
scatter_add = _row_scatter("Add")
scatter_sub = _row_scatter("Sub")
scatter_mul = _row_scatter("Mul")
scatter_div = _row_scatter("Div")
scatter_min = _row_scatter("Min")
scatter_max = _row_scatter("Max")


# ---- a part of a variable, named as it is read --------------------------------------------


@op(
    "StridedSliceAssign",
    "ref: T&, begin: Index, end: Index, strides: Index, value: T -> output_ref: T&",
    attrs=MASKS,
    host=("begin", "end", "strides"),
    Index=dtypes.INDICES,
    differentiable=None,
    program=lambda folder: _program(),
)
def strided_slice_assign_op(
    ctx: Any, ref: VariableState, begin: Any, end: Any, strides: Any, value: Any, **masks: int
) -> VariableState:
    """Replaces the part `ref[begin:end:strides]` of a variable."""
    entries = entries_of(begin, end, strides, masks)
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

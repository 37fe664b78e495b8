"""Variables and the operations that change them.

A `VariableV2` node gives a reference. An operation with a reference as parameter (`T&`) gets the
variable and holds its lock while it changes it; all others get its value. A new value is written
into the old array if no later reader of the step can see that (`ctx.may_overwrite`).

A part of a variable can change as well: chosen rows, or what an index names. A place that is named
twice gets both updates.

    scatter_add(v, indices, updates)    v[indices[i]] += updates[i]
    v[1:, 0].assign(x)                  v[1:, 0] = x
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import OpDef, op, scalar_shape, unchanged_gradient, unchanged_shape
from minitf.core.graph.shapes import as_shape, attr_shape, brackets
from minitf.core.graph.state import VariableState
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.rows import add_rows, check_indices, kept_copy
from minitf.core.ops.array import check_same_dimensions
from minitf.core.ops.array_slicing import MASKS, entries_of, getitem, masks_of
from minitf.core.ops.elementwise import invalid, named, sample, shown


def _changed_by(change: Callable[[Tensor], Tensor], before: Any, after: Any) -> Callable:
    """Returns the test program (see `OpDef`) of an operation that changes a variable."""

    def program(folder: str) -> list:
        first, last = (np.array(value, np.float32) for value in (before, after))
        ref = variable_v2(first.shape, dtypes.float32)
        changed = change(ref)
        return [(assign(ref, first), first), (changed, last), (ref, last)]

    return program


# ---- VariableV2 --------------------------------------------------------------------------


@op(
    "VariableV2",
    "-> ref: dtype&",
    recordable=True,
    differentiable=False,
    program=_changed_by(lambda ref: assign_add(ref, [1.0]), [2.0], [3.0]),
)
def variable_op(
    ctx: Any, *, dtype: Any, shape: Any, container: str = "", shared_name: str = ""
) -> VariableState:
    """Gives a reference to a variable, which keeps its value between steps."""
    return ctx.resources.variable(shared_name or ctx.node_name, dtype, shape, container)


@variable_op.shape
def _variable_shape(*, dtype: Any, shape: Any, container: str, shared_name: str) -> Any:
    return as_shape(shape)


def variable_v2(
    shape: Any, dtype: Any, name: str = "Variable", container: str = "", shared_name: str = ""
) -> Tensor:
    """A reference to an uninitialized variable of `dtype` and `shape`."""
    return variable_op(
        dtype=dtypes.as_dtype(dtype).base_dtype,
        shape=attr_shape(shape),
        container=container,
        shared_name=shared_name,
        name=name,
    )


# ---- IsVariableInitialized, InitializedValue ---------------------------------------------


@op(
    "IsVariableInitialized",
    "ref: T& -> is_initialized: bool",
    host=("is_initialized",),
    program=lambda folder: _reads(is_variable_initialized, np.False_, np.True_),
)
def is_variable_initialized_op(ctx: Any, ref: VariableState) -> Any:
    """Tells whether a variable has a value."""
    return np.bool_(ref.is_initialized)


is_variable_initialized_op.shape(scalar_shape)


def _reads(read: Callable[[Tensor], Tensor], before: Any, after: Any) -> list:
    """A program that reads a variable before and after it is given the value 7."""
    ref = variable_v2([], dtypes.float32)
    return [(read(ref), before), (assign(ref, 7.0), None), (read(ref), after)]


def is_variable_initialized(ref: Any, name: str | None = None) -> Tensor:
    """Whether the variable `ref` has a value."""
    return is_variable_initialized_op(ref, name=name)


@op(
    "InitializedValue",
    "ref: T&, initial_value: T -> value: T",
    takes_slices=True,
    alias=True,
    program=lambda folder: _reads(
        lambda ref: initialized_value(ref, 3.0), np.float32(3), np.float32(7)
    ),
)
def initialized_value_op(ctx: Any, ref: VariableState, initial_value: Any) -> Any:
    """Gives the variable's value, or `initial_value` while it has none."""
    return getattr(ref, "value", initial_value)


@initialized_value_op.shape
def _initialized_value_shape(ref: Any, initial_value: Any) -> Any:
    return initial_value.shape


initialized_value_op.gradient(unchanged_gradient)


def initialized_value(ref: Any, initial_value: Any, name: str | None = None) -> Tensor:
    """The variable's value, or `initial_value` while it has none; for initializers."""
    return initialized_value_op(ref, initial_value, name=name)


# ---- Assign, AssignAdd, AssignSub --------------------------------------------------------


@op(
    "Assign",
    "ref: T&, value: T -> output_ref: T&",
    differentiable=False,
    program=_changed_by(lambda ref: assign(ref, [[3.0, 4.0]]), [[1.0, 2.0]], [[3.0, 4.0]]),
)
def assign_op(
    ctx: Any,
    ref: VariableState,
    value: Any,
    *,
    validate_shape: bool = True,
    use_locking: bool = True,
) -> VariableState:
    """Gives a variable a new value."""
    sizes = getattr(value, "shape", ())  # a text has none
    with ref.lock:
        overwrites = ref.is_initialized and ctx.may_overwrite(ref)
        old = getattr(ref, "value", None)
        same = old is not None and getattr(old, "shape", ()) == sizes
        if validate_shape and not same and not as_shape(ref.shape).is_compatible_with(sizes):
            expected = brackets(as_shape(ref.shape if old is None else np.shape(old)))
            raise invalid(
                "Assign requires shapes of both tensors to match. "
                f"lhs shape= {expected} rhs shape= {brackets(as_shape(np.shape(value)))}"
            )
        if not sizes:
            ref.value = value[()] if isinstance(value, np.ndarray) else value
        elif same and overwrites:
            old[...] = value
        else:  # a copy: the value may be a constant, a fed array or another variable's
            ref.value = kept_copy(ctx.xp, value)
    return ref


@assign_op.shape
def _assign_shape(ref: Any, value: Any, *, validate_shape: bool, use_locking: bool) -> Any:
    return _same_shape(ref, value, use_locking=use_locking) if validate_shape else value.shape


def assign(
    ref: Any,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """An operation that gives the variable `ref` a new value.

    Args:
      ref: a variable, or its reference.
      value: a tensor of the variable's type, and of its shape unless `validate_shape` is False.
      validate_shape: True by default.
      use_locking: accepted; an update always holds the variable's lock.
      name: the operation's name.
    Returns: the reference: what reads it, reads the new value.
    Example:
      >>> counter = tf.Variable(0)
      >>> sess.run(tf.assign(counter, 5))
      5
    """
    if _assigns_itself(ref):
        return ref.assign(value, name=name)
    return assign_op(
        ref,
        value,
        validate_shape=validate_shape is None or validate_shape,
        use_locking=use_locking is None or use_locking,
        name=name,
    )


_OWN_WAYS = ("has_copies", "is_resource")


def _assigns_itself(ref: Any) -> bool:
    """Whether to call `ref.assign`: for a part of a variable, copies, resource variables."""
    own = isinstance(ref, Tensor) or any(getattr(ref, n, False) for n in _OWN_WAYS)
    return own and hasattr(ref, "assign")


def _updating(op_type: str, ufunc: str, sentence: str, after: list) -> OpDef:
    """Declares an operation that combines a variable with an input."""

    def kernel(
        ctx: Any, ref: VariableState, value: Any, *, use_locking: bool = False
    ) -> VariableState:
        def compute(old: Any, out: Any) -> Any:
            if old.shape != value.shape:  # NumPy would broadcast, and the variable would grow
                raise invalid("Parameters and update must be the same size")
            return getattr(ctx.xp, ufunc)(old, value, out=out)

        ref.update(compute, ctx.may_overwrite(ref))
        return ref

    op_def: OpDef = op(
        op_type,
        "ref: T&, value: T -> output_ref: T&",
        doc=sentence,
        T=dtypes.NUMBERS,
        differentiable=False,
        program=_changed_by(lambda ref: op_def(ref, [2.0, 1.0]), [4.0, 3.0], after),
    )(kernel)
    op_def.shape(_same_shape)
    return op_def


def _same_shape(ref: Any, value: Any, *, use_locking: bool) -> Any:
    check_same_dimensions(ref.shape, value.shape)
    return ref.shape.merge_with(value.shape)


_assign_add_op = _updating("AssignAdd", "add", "Adds `value` to a variable.", [6.0, 4.0])
_assign_sub_op = _updating(
    "AssignSub", "subtract", "Subtracts `value` from a variable.", [2.0, 2.0]
)


def assign_add(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Tensor:
    """An operation that adds `value` to the variable `ref`."""
    if _assigns_itself(ref) and hasattr(ref, "assign_add"):
        return ref.assign_add(value, name=name)
    return _assign_add_op(ref, value, use_locking=bool(use_locking), name=name)


def assign_sub(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Tensor:
    """An operation that subtracts `value` from the variable `ref`."""
    if _assigns_itself(ref) and hasattr(ref, "assign_sub"):
        return ref.assign_sub(value, name=name)
    return _assign_sub_op(ref, value, use_locking=bool(use_locking), name=name)


# ---- CountUpTo ---------------------------------------------------------------------------


@op(
    "CountUpTo",
    "ref: T& -> output: T",
    T=dtypes.INDICES,
    program=lambda folder: _counts(),
)
def count_up_to_op(ctx: Any, ref: VariableState, *, limit: int) -> Any:
    """Gives the variable's value and counts it up, until it has reached `limit`."""
    with ref.lock:
        value = ref.value
        if value >= limit:
            raise errors.OutOfRangeError(None, None, f"Reached limit of {limit}")
        ref.value = value + value.dtype.type(1)
    return value


def _counts() -> list:
    ref = variable_v2([], dtypes.int32)
    return [(assign(ref, 5), None), (count_up_to(ref, 7), np.int32(5)), (ref, np.int32(6))]


@count_up_to_op.shape
def _count_up_to_shape(ref: Any, *, limit: int) -> Any:
    return ref.shape.with_rank(0)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """The variable's value before it is counted up by one.

    Raises:
      OutOfRangeError: when it runs and the value has reached `limit`.
    """
    return count_up_to_op(ref, limit=limit, name=name)


# ---- ReadVariableOp ----------------------------------------------------------------------


@op(
    "ReadVariableOp",
    "ref: T -> value: T",
    forwards=True,
    alias=True,
    takes_slices=True,
    expr="{0}",
    samples=[sample((2, 3))],
)
def read_variable_op(xp: Any, ref: Any) -> Any:
    """Gives a variable's value at this point of the step."""
    return ref


read_variable_op.shape(unchanged_shape)


read_variable_op.gradient(unchanged_gradient)


def read_variable(ref: Any, name: str | None = None) -> Tensor:
    """The value of the variable `ref` at this point of the step."""
    return read_variable_op(ref, name=name)


# ---- changes of places of a variable ------------------------------------------------------


def _put(xp: Any, target: Any, places: Any, updates: Any) -> None:
    target[places] = updates


def _one_by_one(ufunc: str) -> Callable[..., None]:
    def change(xp: Any, target: Any, places: Any, updates: Any) -> None:
        function = getattr(xp, ufunc)
        if target.dtype.kind in "iu" and ufunc == "divide":
            function = xp.floor_divide
        function.at(target, places, updates)

    return change


#: for each kind the function, what it does in words, and what it makes of a 4 where a 2 comes
_CHANGES: dict[str, tuple[Callable[..., None], str, int]] = {
    "Update": (_put, "Replaces", 2),
    "Add": (add_rows, "Adds to", 6),
    "Sub": (partial(add_rows, subtract=True), "Subtracts from", 2),
    "Mul": (_one_by_one("multiply"), "Multiplies", 8),
    "Div": (_one_by_one("divide"), "Divides", 2),
    "Min": (_one_by_one("minimum"), "Lowers", 2),
    "Max": (_one_by_one("maximum"), "Raises", 4),
}


# ---- rows of a variable ------------------------------------------------------------------


def _row_shape(ref: Any, indices: Any, updates: Any, *, use_locking: bool) -> Any:
    if ref.shape.ndims is not None and updates.shape.ndims != 0:
        expected = indices.shape.concatenate(ref.shape[1:])
        check_same_dimensions(updates.shape, expected)
    return ref.shape


def _row_scatter(kind: str) -> Callable[..., Tensor]:
    """Declares an operation that changes rows, and returns its function."""
    function, verb, made = _CHANGES[kind]

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
        after[[2, 0]] = made
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


# ---- StridedSliceAssign -------------------------------------------------------------------


@op(
    "StridedSliceAssign",
    "ref: T&, begin: Index, end: Index, strides: Index, value: T -> output_ref: T&",
    attrs=MASKS,
    host=("begin", "end", "strides"),
    Index=dtypes.INDICES,
    differentiable=None,
    program=lambda folder: _assigns_a_part(),
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


def _assigns_a_part() -> list:
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

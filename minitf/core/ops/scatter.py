"""Scatters: rows put, added or multiplied into chosen places of a variable or of a tensor.

    scatter_*            rows of a variable            ref[indices[i]]  op=  updates[i]
    scatter_nd_*         slices of a variable          ref[indices[i, :]]  op=  updates[i]
    tensor_scatter_*     the same in a copy of a tensor, which has gradients
    scatter_nd           into zeros

All are one loop: coordinates become places in the axes they go over, made one, and what happens
there is a function of the family below. A place named twice gets both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.state import VariableState
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.rows import (
    add_rows,
    check_coordinates,
    check_indices,
    flat_places,
    nothing,
)
from minitf.core.ops.array import check_same_dimensions, shape
from minitf.core.ops.array_gathering import gather_nd_op
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


_join = _one_by_one("add")  # as `_add`, for strings
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


def _program(op_def: OpDef, kind: str, indices: list) -> list:
    """A variable of fours, and what it holds after two of its rows met twos."""
    ref = variable_v2([3, 2], dtypes.float32)
    fours, twos = np.full((3, 2), 4, np.float32), np.full((2, 2), 2, np.float32)
    after = fours.copy()
    after[[2, 0]] = _MADE_OF_4_AND_2[kind]
    return [(assign(ref, fours), fours), (op_def(ref, indices, twos), after), (ref, after)]


def _into_slices(
    xp: Any, target: Any, indices: Any, updates: Any, change: Callable[..., None]
) -> None:
    """Changes the slices of `target` at the coordinates in the last axis of `indices`."""
    depth = indices.shape[-1]
    places = flat_places(indices, target.shape)
    change(xp, target.reshape(-1, *target.shape[depth:]), places, updates)


# ---- rows of a variable ------------------------------------------------------------------


def _changed(
    ctx: Any, ref: VariableState, updates: Any, change: Callable[[Any], None]
) -> VariableState:
    """Runs `change` on the variable's array, or on a copy when the old one has readers."""
    with ref.lock:
        target = ref.value if ctx.may_overwrite(ref) else ctx.xp.array(ref.value)
        change(target)
        ref.value = target
    return ref


def _row_shape(ref: Any, indices: Any, updates: Any, *, use_locking: bool) -> Any:
    if ref.shape.ndims is not None and updates.shape.ndims != 0:
        expected = indices.shape.concatenate(ref.shape[1:])
        check_same_dimensions(updates.shape, expected)
    return ref.shape


def _row_scatter(kind: str) -> OpDef:
    function, verb = _CHANGES[kind]

    def kernel(
        ctx: Any, ref: VariableState, indices: Any, updates: Any, *, use_locking: bool = False
    ) -> VariableState:
        def change(target: Any) -> None:
            fits = (*indices.shape, *target.shape[1:])
            if updates.shape not in (fits, ()):  # NumPy would broadcast
                raise invalid(
                    "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape "
                    f"= [], got updates.shape {shown(updates)}, indices.shape {shown(indices)}, "
                    f"params.shape {shown(target)}"
                )
            check_indices(ctx.xp, indices, target.shape[0])
            function(ctx.xp, target, indices, updates)

        return _changed(ctx, ref, updates, change)

    types = {} if kind == "Update" else {"T": dtypes.NUMBERS}
    op_def: OpDef = op(
        f"Scatter{kind}",
        "ref: T&, indices: Tindices, updates: T -> output_ref: T&",
        doc=f"{verb} rows of a variable.",
        Tindices=dtypes.INDICES,
        host_only=kind in ("Mul", "Div"),  # CuPy has no `multiply.at`
        differentiable=None if kind in ("Update", "Min", "Max") else False,
        program=lambda folder: _program(op_def, kind, [2, 0]),
        **types,
    )(kernel)
    op_def.shape(_row_shape)
    return op_def


def _public(op_def: OpDef, name: str, kind: str, where: str) -> Callable[..., Tensor]:
    """The function for one of these operations."""

    def function(
        ref: Any,
        indices: Any,
        updates: Any,
        use_locking: bool = kind == "Update",
        name: str | None = None,
    ) -> Tensor:
        return op_def(ref, indices, updates, use_locking=use_locking, name=name)

    doc = f"""{_CHANGES[kind][1]} {where} of a variable.

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
    return named(function, name, doc)


def _row_function(kind: str) -> Callable[..., Tensor]:
    return _public(_row_scatter(kind), f"scatter_{kind.lower()}", kind, "row `indices[i]`")


scatter_update = _row_function("Update")
scatter_add = _row_function("Add")
scatter_sub = _row_function("Sub")
scatter_mul = _row_function("Mul")
scatter_div = _row_function("Div")
scatter_min = _row_function("Min")
scatter_max = _row_function("Max")

# ---- slices at coordinates ---------------------------------------------------------------


def _check_slices(xp: Any, indices: Any, updates: Any, sizes: tuple[int, ...]) -> None:
    """Raises unless `updates` holds one slice of a tensor of `sizes` for each coordinate."""
    depth, batch = indices.shape[-1], indices.ndim - 1
    if not sizes:
        raise invalid("Output must be at least 1-D, got shape: []")
    if 0 in sizes and indices.size and updates.size:
        raise invalid("Indices and updates specified for empty output")
    whole, given = brackets(TensorShape(sizes)), shown(updates)
    if updates.shape[:batch] != indices.shape[:-1]:
        raise invalid(
            f"Dimensions [0,{batch}) of indices[shape={shown(indices)}] must match dimensions "
            f"[0,{batch}) of updates[shape={given}]"
        )
    if depth > len(sizes) or updates.shape[batch:] != sizes[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(sizes)}) of input[shape={whole}] must match dimensions "
            f"[{batch},{updates.ndim}) of updates[shape={given}]"
        )
    check_coordinates(xp, indices, sizes)


def _slice_shape(whole: TensorShape, indices: Any, updates: Any) -> TensorShape:
    """The shape function of all that put slices into a tensor of shape `whole`."""
    if whole.ndims is None or indices.shape.ndims is None or updates.shape.ndims is None:
        return whole
    if whole.num_elements() == 0 and indices.shape.num_elements() and updates.shape.num_elements():
        raise ValueError("Indices and updates specified for empty input")
    depth, batch = indices.shape.as_list()[-1], indices.shape.ndims - 1
    if depth is None:
        return whole
    given = brackets(updates.shape)
    pairs = (
        (
            f"Dimensions [0,{batch}) of indices[shape={brackets(indices.shape)}]",
            f"dimensions [0,{batch})",
            indices.shape[:-1],
            updates.shape[:batch],
        ),
        (
            f"Dimensions [{depth},{whole.ndims}) of input[shape={brackets(whole)}]",
            f"dimensions [{batch},{updates.shape.ndims})",
            whole[depth:],
            updates.shape[batch:],
        ),
    )
    for left, right, one, other in pairs:
        try:
            check_same_dimensions(one, other)
        except ValueError as error:
            raise ValueError(
                f"{left} = {brackets(one)} must match {right} of updates[shape={given}] = "
                f"{brackets(other)}: {error}"
            ) from None
    return whole


def _slice_function(kind: str) -> Callable[..., Tensor]:
    change, verb = _CHANGES[kind]

    def kernel(
        ctx: Any, ref: VariableState, indices: Any, updates: Any, *, use_locking: bool = False
    ) -> VariableState:
        def run(target: Any) -> None:
            _check_slices(ctx.xp, indices, updates, target.shape)
            _into_slices(ctx.xp, target, indices, updates, change)

        return _changed(ctx, ref, updates, run)

    op_def: OpDef = op(
        f"ScatterNd{kind}",
        "ref: T&, indices: Tindices, updates: T -> output_ref: T&",
        doc=f"{verb} slices of a variable at coordinates.",
        Tindices=dtypes.INDICES,
        differentiable=False,
        program=lambda folder: _program(op_def, kind, [[2], [0]]),
    )(kernel)

    @op_def.shape
    def _shape(ref: Any, indices: Any, updates: Any, *, use_locking: bool) -> Any:
        return _slice_shape(ref.shape, indices, updates)

    where = "the slice at the coordinates `indices[i]`"
    return _public(op_def, f"scatter_nd_{kind.lower()}", kind, where)


scatter_nd_update = _slice_function("Update")
scatter_nd_add = _slice_function("Add")
scatter_nd_sub = _slice_function("Sub")


def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Tensor:
    """Replaces rows in each part of a batch: `ref[i, indices[i, j]] = updates[i, j]`.

    Args:
      ref: a variable, [batch..., rows, ...].
      indices: [batch..., count] of integers, of known rank.
      updates: [batch..., count, ...].
      use_locking: accepted; an update always holds the variable's lock.
      name: a scope for the operations.
    Raises:
      ValueError: when the rank of `indices` is not known.
    """
    with name_scope(name):
        places = convert_to_tensor(indices, name="indices")
        if places.shape.ndims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        own, whole = places.shape.ndims - 1, call("ZerosLike", places)
        sizes = shape(places, out_type=places.dtype.base_dtype)
        ranges = [call("Range", 0, sizes[axis], 1) for axis in range(own)]
        parts = [
            whole + call("Reshape", each, [-1] + [1] * (own - axis))
            for axis, each in enumerate(ranges)
        ]
        coordinates = call("Pack", [*parts, places], axis=-1)
        return scatter_nd_update(ref, coordinates, updates, use_locking=use_locking)


# ---- into a copy of a tensor -------------------------------------------------------------


def _coordinates(values: list) -> Any:
    return np.array(values, np.int32)


def _tensor_samples() -> list:
    def rows(rng: Any) -> tuple:
        return rng.normal(size=(4, 2)), _coordinates([[3], [1]]), rng.normal(size=(2, 2)), {}

    def elements(rng: Any) -> tuple:
        return rng.normal(size=(3, 2)), _coordinates([[0, 1], [2, 1]]), rng.normal(size=(2,)), {}

    return [rows, elements]


def _tensor_scatter(kind: str) -> OpDef:
    change, verb = _CHANGES[kind]

    def kernel(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
        depth, batch = indices.shape[-1], indices.ndim - 1
        inner = tensor.ndim - depth
        if updates.shape[batch:] != tensor.shape[depth:]:
            raise invalid(
                f"The inner {inner} dimensions of output.shape={shown(tensor)} must match the "
                f"inner {inner} dimensions of updates.shape={shown(updates)}"
            )
        _check_slices(xp, indices, updates, tensor.shape)
        result = xp.array(tensor, order="C")
        _into_slices(xp, result, indices, updates, change)
        return result

    op_def: OpDef = op(
        f"TensorScatter{kind}",
        "tensor: T, indices: Tindices, updates: T -> output: T",
        doc=f"{verb} slices of a copy of `tensor` at coordinates.",
        Tindices=dtypes.INDICES,
        samples=_tensor_samples(),
    )(kernel)

    @op_def.shape
    def _shape(tensor: Any, indices: Any, updates: Any) -> Any:
        return _slice_shape(tensor.shape, indices, updates)

    return op_def


tensor_scatter_update_op = _tensor_scatter("Update")
tensor_scatter_add_op = _tensor_scatter("Add")


@tensor_scatter_update_op.gradient
def _tensor_scatter_update_grad(op: Any, dy: Tensor) -> list:
    _, indices, updates = op.inputs
    nothing = call("ZerosLike", updates)
    return [tensor_scatter_update_op(dy, indices, nothing), None, gather_nd_op(dy, indices)]


@tensor_scatter_add_op.gradient
def _tensor_scatter_add_grad(op: Any, dy: Tensor) -> list:
    return [dy, None, gather_nd_op(dy, op.inputs[1])]


def tensor_scatter_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """`tensor` with the slices at the coordinates in `indices` replaced by `updates`.

    Args:
      tensor: any tensor.
      indices: [..., depth] int32 or int64.
      updates: `indices.shape[:-1] + tensor.shape[depth:]`.
      name: the name.
    Example:
      >>> sess.run(tf.tensor_scatter_update([1, 2, 3], [[1]], [7]))
      array([1, 7, 3], dtype=int32)
    """
    return tensor_scatter_update_op(tensor, indices, updates, name=name)


# ---- into zeros --------------------------------------------------------------------------


@op(
    "ScatterNd",
    "indices: Tindices, updates: T, shape: Tindices -> output: T",
    host=("shape",),
    Tindices=dtypes.INDICES,
    samples=[
        lambda rng: (
            _coordinates([[0], [2], [0]]),
            rng.normal(size=(3, 2)),
            _coordinates([3, 2]),
            {},
        ),
        lambda rng: (
            _coordinates([[0, 1], [2, 1]]),
            rng.normal(size=(2,)),
            _coordinates([3, 2]),
            {},
        ),
    ],
)
def scatter_nd_op(xp: Any, indices: Any, updates: Any, shape: Any) -> Any:
    """Adds `updates` into zeros of the given shape at the coordinates in `indices`."""
    sizes = tuple(shape.tolist())
    _check_slices(xp, indices, updates, sizes)
    result = nothing(xp, sizes, updates.dtype)
    _into_slices(xp, result, indices, updates, _join if updates.dtype == object else _add)
    return result


@scatter_nd_op.shape
def _scatter_nd_shape(indices: Any, updates: Any, shape: Any) -> Any:
    return _slice_shape(shape.partial_shape, indices, updates)


@scatter_nd_op.gradient
def _scatter_nd_grad(op: Any, dy: Tensor) -> list:
    return [None, gather_nd_op(dy, op.inputs[0]), None]


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros of `shape` with `updates` added at the coordinates in the last axis of `indices`.

    Example:
      >>> sess.run(tf.scatter_nd([[1], [3]], [9, 8], [5]))
      array([0, 9, 0, 8, 0], dtype=int32)
    """
    return scatter_nd_op(indices, updates, shape, name=name)

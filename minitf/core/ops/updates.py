"""The update of a variable by an optimizer, as one operation: ApplyAdam and its kin.

From each algorithm of `core/kernels/updates.py` come two operations: ApplyAdam for a gradient as
large as the variable, and SparseApplyAdam for one that has only some rows. Here is what they share:
the lock, the checks, and whether the variable's array may be written over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.float_mode import denormals_as_zero
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.graph.state import VariableState
from minitf.core.kernels import updates
from minitf.core.kernels.rows import check_indices
from minitf.core.ops.array import check_same_dimensions
from minitf.core.ops.elementwise import invalid, shown

_WORTH_A_MODE = 1024  # elements
_NEEDS_VARIABLE = "it updates variables, which a sample cannot hold"


def _differ(value: Any, of: str, grad: Any) -> Exception:
    return invalid(f"var and {of} do not have the same shape{shown(value)} {shown(grad)}")


def _apply(
    ctx: Any,
    algorithm: updates.Algorithm,
    variables: Sequence[VariableState],
    grad: Any,
    rates: Sequence[Any],
    attrs: dict[str, Any],
    of: str,
    spare: Any = None,
) -> VariableState:
    """Makes a step of the variables' arrays, or of copies when the old values still have readers.

    The lock of the first variable guards them all: the others are its slots. `of` is what
    messages call the gradient; for `spare` see `updates.Algorithm`.
    """
    with variables[0].lock:
        overwrites = ctx.may_overwrite(*variables)
        targets = [v.value for v in variables]
        first = targets[0]
        if grad.shape != first.shape:  # NumPy would broadcast, and the variable would grow
            raise _differ(first, of, grad)
        copied = not overwrites or not first.ndim
        if copied:
            targets = [ctx.xp.array(t) for t in targets]
        if first.size < _WORTH_A_MODE:
            algorithm.whole(ctx.xp, targets, grad, rates, attrs, spare)
        else:
            with denormals_as_zero:  # averages that fade out would make large arrays slow
                algorithm.whole(ctx.xp, targets, grad, rates, attrs, spare)
        if copied:
            for variable, target in zip(variables, targets):
                variable.value = target if target.ndim else target[()]
    return variables[0]


def _apply_rows(
    ctx: Any,
    algorithm: updates.Algorithm,
    variables: Sequence[VariableState],
    grad: Any,
    indices: Any,
    rates: Sequence[Any],
    attrs: dict[str, Any],
) -> VariableState:
    """Makes a step of the rows `indices`, no two of them the same, of all the variables."""
    xp = ctx.xp
    with variables[0].lock:
        overwrites = ctx.may_overwrite(*variables)
        values = [v.value for v in variables]
        for value in values:
            check_indices(xp, indices, value.shape[0])
        rows = (*indices.shape, *values[0].shape[1:])
        if grad.shape != rows:
            raise invalid(
                "grad must be the same size as the rows of var"
                f"{shown(grad)} {brackets(TensorShape(rows))}"
            )
        if not overwrites:
            values = [xp.array(value) for value in values]
        algorithm.rows(xp, values, grad, indices, rates, attrs)
        for variable, value in zip(variables, values):
            variable.value = value
    return variables[0]


# ---- declaring an update -----------------------------------------------------------------


def _update_shape(names: Sequence[str], slots: int) -> Callable[..., TensorShape]:
    """The shape function of an update: `var`, its slots and the gradient have one shape."""
    sparse = "indices" in names

    def function(*specs: Any, **attrs: Any) -> TensorShape:
        shape = specs[0].shape
        for index, (name, spec) in enumerate(zip(names, specs, strict=True)):
            if index < slots or (name in _GRADIENTS and not sparse):
                check_same_dimensions(shape, spec.shape)
                shape = shape.merge_with(spec.shape)
            elif name in _GRADIENTS or name == "indices":
                pass  # the rows that there are
            elif spec.shape.ndims not in (None, 0):
                raise ValueError(f"Shape must be rank 0 but is rank {spec.shape.ndims}")
        return shape

    return function


_GRADIENTS = ("grad", "delta")


class Update:
    """One algorithm as two operations, for dense gradients and for rows.

    Args:
      op_type: the type of the dense one, "ApplyAdam"; the other is "SparseApplyAdam".
      variables: names of the references, `var` first.
      inputs: names of the other inputs, the gradient among them; "name:type" for another type.
      algorithm: what they compute.
      rows: whether the second one is wanted.
    """

    def __init__(
        self,
        op_type: str,
        variables: str,
        inputs: str,
        algorithm: updates.Algorithm,
        rows: bool = True,
    ) -> None:
        slots, rest = variables.split(), inputs.split()
        self._algorithm = algorithm
        self._attrs = {"use_locking": False, **algorithm.attrs}
        self._count = len(slots)
        self._gradient = next(name for name in rest if name in _GRADIENTS)
        self._place = len(slots) + rest.index(self._gradient)
        self.__doc__ = algorithm.step.__doc__
        self.dense = self._declare(op_type, slots, rest, self._dense_kernel())
        self.dense.takes_out = algorithm.takes_out
        if rows:
            rest.insert(self._place - len(slots) + 1, "indices:I")
            self.sparse = self._declare("Sparse" + op_type, slots, rest, self._sparse_kernel())

    def _declare(self, op_type: str, slots: list, rest: list, kernel: Callable) -> OpDef:
        signature = ", ".join(
            [f"{name}: T&" for name in slots]
            + [name.replace(":", ": ") if ":" in name else f"{name}: T" for name in rest]
        )
        constraints: dict[str, Any] = {"T": dtypes.FLOATS}
        if "indices:I" in rest:
            constraints["I"] = dtypes.INDICES
        kernel.__doc__ = self.__doc__
        kernel.__name__ = f"{op_type}_op"
        op_def = op(
            op_type,
            f"{signature} -> out: T&",
            differentiable=False,
            no_samples=_NEEDS_VARIABLE,
            **constraints,
        )(kernel)
        names = [name.partition(":")[0] for name in (*slots, *rest)]
        op_def.shape(_update_shape(names, len(slots)))
        op_def.attr_names = tuple(self._attrs)
        op_def.attr_defaults = dict(self._attrs)
        return op_def

    def _dense_kernel(self) -> Callable:
        algorithm, count, place, after = self._algorithm, self._count, self._place, self._place + 1
        of = self._gradient

        def kernel(
            ctx: Any, *inputs: Any, use_locking: bool = False, out: Any = None, **attrs: Any
        ) -> Any:
            rates = inputs[count:place] + inputs[after:]
            return _apply(ctx, algorithm, inputs[:count], inputs[place], rates, attrs, of, out)

        return kernel

    def _sparse_kernel(self) -> Callable:
        algorithm, count, place, after = self._algorithm, self._count, self._place, self._place + 2

        def kernel(ctx: Any, *inputs: Any, use_locking: bool = False, **attrs: Any) -> Any:
            grad, indices = inputs[place:after]
            rates = inputs[count:place] + inputs[after:]
            return _apply_rows(ctx, algorithm, inputs[:count], grad, indices, rates, attrs)

        return kernel

    def __call__(self, *inputs: Any, indices: Any = None, **attrs: Any) -> Any:
        """Adds the operation; with `indices`, which differ, the one for rows."""
        if indices is None:
            return self.dense(*inputs, **attrs)
        at = self._place + 1
        return self.sparse(*inputs[:at], indices, *inputs[at:], **attrs)


# ---- the algorithms ----------------------------------------------------------------------

apply_gradient_descent = Update(
    "ApplyGradientDescent", "var", "alpha delta", updates.apply_gradient_descent, rows=False
)


@apply_gradient_descent.dense.bind
def _descend_by_expression(xp: Any, attrs: dict, shapes: Sequence[TensorShape]) -> Callable | None:
    """Of a small variable a new value is made sooner than the old one is written over."""
    size = shapes[0].num_elements()
    if xp is not np or size is None or size > _WORTH_A_MODE:
        return None

    def descend(var: VariableState, alpha: Any, delta: Any, out: Any = None) -> VariableState:
        with var.lock:
            value = var.value
            if value.shape != delta.shape:
                raise _differ(value, "delta", delta)
            var.value = value - alpha * delta
        return var

    return descend


apply_proximal_gradient_descent = Update(
    "ApplyProximalGradientDescent",
    "var",
    "alpha l1 l2 delta",
    updates.apply_proximal_gradient_descent,
)
apply_momentum = Update("ApplyMomentum", "var accum", "lr grad momentum", updates.apply_momentum)
apply_adam = Update(
    "ApplyAdam",
    "var m v",
    "beta1_power beta2_power lr beta1 beta2 epsilon grad",
    updates.apply_adam,
    rows=False,
)
apply_adagrad = Update("ApplyAdagrad", "var accum", "lr grad", updates.apply_adagrad)
apply_proximal_adagrad = Update(
    "ApplyProximalAdagrad", "var accum", "lr l1 l2 grad", updates.apply_proximal_adagrad
)
apply_adagrad_da = Update(
    "ApplyAdagradDA",
    "var gradient_accumulator gradient_squared_accumulator",
    "grad lr l1 l2 global_step:int64",
    updates.apply_adagrad_da,
)
apply_adadelta = Update(
    "ApplyAdadelta", "var accum accum_update", "lr rho epsilon grad", updates.apply_adadelta
)
apply_rms_prop = Update(
    "ApplyRMSProp", "var ms mom", "lr rho momentum epsilon grad", updates.apply_rms_prop
)
apply_centered_rms_prop = Update(
    "ApplyCenteredRMSProp",
    "var mg ms mom",
    "lr rho momentum epsilon grad",
    updates.apply_centered_rms_prop,
)
apply_ftrl = Update("ApplyFtrl", "var accum linear", "grad lr l1 l2 lr_power", updates.apply_ftrl)
apply_ftrl_v2 = Update(
    "ApplyFtrlV2", "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", updates.apply_ftrl_v2
)

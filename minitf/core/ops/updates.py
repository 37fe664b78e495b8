"""Updates of a variable by an optimizer, as one operation: ApplyAdam and others.

    @update("ApplyAdagrad", "var accum", "lr grad")       two operations, ApplyAdagrad for a
    def apply_adagrad(xp, var, accum, grad, lr):          gradient as large as the variable,
        accum += grad * grad                              SparseApplyAdagrad for one that has
        var -= lr * (grad / xp.sqrt(accum))               only some rows

The formula changes its arrays in place. The operation takes the variable's lock, checks shapes, and
gives the formula copies if the old arrays may still be read. Three updates are at the end, all
others in the files of their optimizers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.graph.state import VariableState
from minitf.core.kernels import updates
from minitf.core.kernels.float_mode import denormals_as_zero
from minitf.core.kernels.rows import check_indices
from minitf.core.kernels.updates import Algorithm
from minitf.core.ops.array import check_same_dimensions
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.ops.state import assign, variable_v2

_WORTH_A_MODE = 1024  # elements


def _differ(value: Any, grad_name: str, grad: Any) -> Exception:
    return invalid(f"var and {grad_name} do not have the same shape{shown(value)} {shown(grad)}")


def _apply(
    ctx: Any,
    algorithm: Algorithm,
    variables: Sequence[VariableState],
    grad: Any,
    rates: Sequence[Any],
    attrs: dict[str, Any],
    grad_name: str,
) -> VariableState:
    """Applies the formula to the variables' arrays, or to copies if the old may still be read.

    The lock of the first variable guards all of them, since the others are its slots. Errors call
    the gradient `grad_name`.
    """
    with variables[0].lock:
        overwrites = ctx.may_overwrite(*variables)
        targets = [v.value for v in variables]
        first = targets[0]
        if grad.shape != first.shape:  # NumPy would broadcast, and the variable would grow
            raise _differ(first, grad_name, grad)
        copied = not overwrites or not first.ndim
        if copied:
            targets = [ctx.xp.array(t) for t in targets]
        if first.size < _WORTH_A_MODE:
            algorithm.whole(ctx.xp, targets, grad, rates, attrs)
        else:
            with denormals_as_zero:  # averages that fade out would make large arrays slow
                algorithm.whole(ctx.xp, targets, grad, rates, attrs)
        if copied:
            for variable, target in zip(variables, targets):
                variable.value = target if target.ndim else target[()]
    return variables[0]


def _apply_rows(
    ctx: Any,
    algorithm: Algorithm,
    variables: Sequence[VariableState],
    grad: Any,
    indices: Any,
    rates: Sequence[Any],
    attrs: dict[str, Any],
) -> VariableState:
    """Applies the formula to the rows `indices`, all different, of the variables."""
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
    """An algorithm as two operations, for dense gradients and for rows.

    Args:
      op_type: the type of the dense one, "ApplyAdam"; the other is "SparseApplyAdam".
      variables: names of the references, `var` first.
      inputs: names of the other inputs, the gradient among them; "name:type" where the type is not
        the variable's.
      algorithm: the formula.
      rows: whether to declare the second operation as well.
    """

    def __init__(
        self, op_type: str, variables: str, inputs: str, algorithm: Algorithm, rows: bool = True
    ) -> None:
        slots, rest = variables.split(), inputs.split()
        self.algorithm = algorithm
        self._count = len(slots)
        self._gradient = next(name for name in rest if name in _GRADIENTS)
        self._place = len(slots) + rest.index(self._gradient)
        self.__doc__ = algorithm.formula.__doc__
        self.dense = self._declare(op_type, slots, rest)
        if rows:
            rest.insert(self._place - len(slots) + 1, "indices:Tindices")
            self.sparse = self._declare("Sparse" + op_type, slots, rest)

    def _declare(self, op_type: str, slots: list, rest: list) -> OpDef:
        names = [name.partition(":")[0] for name in (*slots, *rest)]
        types = ["T&"] * len(slots) + [name.partition(":")[2] or "T" for name in rest]
        signature = ", ".join(f"{name}: {kind}" for name, kind in zip(names, types, strict=True))
        sparse = "Tindices" in types
        attrs = {k: v for k, v in self.algorithm.attrs.items() if k != "out" or not sparse}
        kernel = self._kernel(sparse)
        kernel.__doc__ = self.__doc__

        op_def = op(
            op_type,
            f"{signature} -> out: T&",
            differentiable=None,
            attrs=attrs,
            program=lambda folder: self._program(types),
            T=dtypes.FLOATS,
            **({"Tindices": dtypes.INDICES} if sparse else {}),
        )(kernel)
        op_def.shape(_update_shape(names, len(slots)))
        return op_def

    def _program(self, types: list) -> list:
        """The test program: one update, and what the formula makes of arrays of the same values."""
        rng = np.random.default_rng(3)
        targets = [rng.uniform(0.5, 1.5, (3, 2)).astype("f") for _ in range(self._count)]
        variables = [variable_v2([3, 2], dtypes.float32) for _ in targets]
        starts = [assign(v, t.copy()) for v, t in zip(variables, targets, strict=True)]
        places = np.array([2, 0]) if "Tindices" in types else None
        after = self._place + (1 if places is None else 2)
        grad = rng.normal(size=(3, 2) if places is None else (2, 2)).astype("f")
        rates = [
            np.int64(3) if kind == "int64" else np.float32(rng.uniform(0.1, 0.9))
            for kind in types[self._count : self._place] + types[after:]
        ]
        done = self.step(variables, grad, rates, places)
        if places is None:
            self.algorithm.formula(np, *targets, grad, *rates)
        else:
            self.algorithm.rows(np, targets, grad, places, rates, {})
        return [(starts, None), (done, targets[0]), (variables, targets)]

    def _kernel(self, sparse: bool) -> Callable:
        algorithm, count, place = self.algorithm, self._count, self._place
        after = place + (2 if sparse else 1)

        def kernel(ctx: Any, *inputs: Any, use_locking: bool = False, **attrs: Any) -> Any:
            variables, rates = inputs[:count], inputs[count:place] + inputs[after:]
            if sparse:
                grad, indices = inputs[place:after]
                return _apply_rows(ctx, algorithm, variables, grad, indices, rates, attrs)
            return _apply(ctx, algorithm, variables, inputs[place], rates, attrs, self._gradient)

        return kernel

    def __call__(self, *inputs: Any, indices: Any = None, **attrs: Any) -> Any:
        """Adds the operation; given `indices`, no two the same, the one for rows."""
        if indices is None:
            return self.dense(*inputs, **attrs)
        at = self._place + 1
        return self.sparse(*inputs[:at], indices, *inputs[at:], **attrs)

    def step(
        self, variables: Sequence, grad: Any, rates: Sequence, indices: Any = None, **attrs: Any
    ) -> Any:
        """Adds the operation, its inputs in groups; `rates` are those beside the gradient."""
        at = self._place - self._count
        return self(*variables, *rates[:at], grad, *rates[at:], indices=indices, **attrs)


def update(
    op_type: str, variables: str, inputs: str, compiled: str = ""
) -> Callable[[Callable[..., None]], Update]:
    """Declares the operations of the formula that is decorated; see `Update` and `Algorithm`."""
    return lambda formula: Update(op_type, variables, inputs, Algorithm(formula, compiled))


# ---- the three of the core ---------------------------------------------------------------

apply_momentum = Update("ApplyMomentum", "var accum", "lr grad momentum", updates.apply_momentum)
apply_adam = Update(
    "ApplyAdam",
    "var m v",
    "beta1_power beta2_power lr beta1 beta2 epsilon grad",
    updates.apply_adam,
    rows=False,
)
apply_gradient_descent = Update(
    "ApplyGradientDescent", "var", "alpha delta", updates.apply_gradient_descent, rows=False
)


@apply_gradient_descent.dense.bind
def _descend_by_expression(xp: Any, attrs: dict, shapes: Sequence[TensorShape]) -> Callable | None:
    """A kernel for small variables that makes a new array, which is faster there."""
    size = shapes[0].num_elements()
    if xp is not np or size is None or size > _WORTH_A_MODE:
        return None

    held: tuple[Any, Any] = (None, None)  # a rate, most often a constant, and as ufuncs like it

    def descend(var: VariableState, alpha: Any, delta: Any, out: Any = None) -> VariableState:
        nonlocal held
        known, rate = held
        if alpha is not known:
            rate = np.asarray(alpha) if shapes[0].ndims else alpha
            held = alpha, rate
        with var.lock:
            value = var.value
            if value.shape != delta.shape:
                raise _differ(value, "delta", delta)
            var.value = value - rate * delta
        return var

    return descend

"""The update of a variable by an optimizer, as one operation: ApplyAdam and its kin.

Each makes several passes over arrays as large as the variable. Passes over a whole large array
would fetch it from memory every time, so the update walks over the arrays in blocks that fit the
second-level cache, with one scratch block a thread:

    var, m, v, grad:  [ block ][ block ][ block ] ...      all passes over a block, then the next
    scratch:          [ block ]

An algorithm is written once, as the step of one block. From it come two operations: ApplyAdam for a
gradient as large as the variable, and SparseApplyAdam for one that has only some rows: these rows
are taken out of the variable and its slots, make the step, and are put back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.float_mode import denormals_as_zero
from minitf.framework.registry import OpDef, op
from minitf.framework.shapes import TensorShape
from minitf.framework.state import VariableState, aligned_empty
from minitf.ops.array import check_same_dimensions
from minitf.ops.elementwise import invalid, shown
from minitf.ops.rows import check_indices

_BLOCK = 49152  # elements: five float32 arrays of it fill 960 KB of the second-level cache
_WORTH_A_MODE = 1024  # elements
_MAX_SCRATCH = 64  # shapes of blocks a thread keeps memory for
_NEEDS_VARIABLE = "it updates variables, which a sample cannot hold"
_local = threading.local()


def _scratch(xp: Any, like: Any) -> Any:
    """An array shaped as `like` to overwrite; on the CPU it is this thread's own, used again."""
    if xp is not np:
        return xp.empty(like.shape, like.dtype)
    views = _local.__dict__.setdefault("views", {})
    key = (like.shape, like.dtype)
    view = views.get(key)
    if view is None:
        view = aligned_empty(like.shape, like.dtype)
        if like.size <= 4 * _BLOCK:
            if len(views) >= _MAX_SCRATCH:
                views.clear()
            views[key] = view
    return view


def _blocks(arrays: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Views of the arrays, all of one shape, a few rows at a time."""
    first = arrays[0]
    rows = max(1, _BLOCK * first.shape[0] // first.size)
    for start in range(0, first.shape[0], rows):
        yield [a[start : start + rows] for a in arrays]


def _apart(grad: Any, targets: Sequence[Any]) -> Any:
    """The gradient, copied when it shares memory with a target: `transpose(var)` as a gradient.

    The first block would overwrite what a later one reads.
    """
    return grad.copy() if any(np.may_share_memory(grad, t) for t in targets) else grad


def _apply(
    ctx: Any,
    step: Callable[..., None],
    variables: Sequence[VariableState],
    grad: Any,
    rates: Sequence[Any],
    attrs: dict[str, Any],
    of: str,
    scratch: Any = None,
) -> VariableState:
    """Runs `step(xp, scratch, *targets, grad, *rates)`, which overwrites the targets, in blocks.

    The targets are the variables' arrays, or copies of them when the old values still have readers.
    The lock of the first variable guards them all: the others are its slots. `of` is what
    messages call the gradient. `scratch` is the gradient itself when nobody reads it afterwards and
    `step` reads it once: written over, it saves a third array's way through the cache.
    """
    xp = ctx.xp
    with variables[0].lock:
        overwrites = ctx.may_overwrite(*variables)
        targets = [v.value for v in variables]
        first = targets[0]
        if grad.shape != first.shape:  # NumPy would broadcast, and the variable would grow
            raise invalid(f"var and {of} do not have the same shape{shown(first)} {shown(grad)}")
        copied = not overwrites or not first.ndim
        if copied:
            targets = [xp.array(t) for t in targets]
            first = targets[0]
        if scratch is not None:
            step(xp, scratch, *targets, grad, *rates, **attrs)
        elif first.size < _WORTH_A_MODE or xp is not np:
            step(xp, _scratch(xp, first), *targets, grad, *rates, **attrs)
        else:
            grad = _apart(grad, targets)
            with denormals_as_zero:  # averages that fade out would make large arrays slow
                for views in _blocks([*targets, grad]):
                    step(xp, _scratch(xp, views[0]), *views, *rates, **attrs)
        if copied:
            for variable, target in zip(variables, targets, strict=True):
                variable.value = target if target.ndim else target[()]
    return variables[0]


def _apply_rows(
    ctx: Any,
    step: Callable[..., None],
    variables: Sequence[VariableState],
    grad: Any,
    indices: Any,
    rates: Sequence[Any],
    attrs: dict[str, Any],
) -> VariableState:
    """Runs `step` on the rows `indices`, no two of them the same, of all the variables."""
    xp = ctx.xp
    with variables[0].lock:
        overwrites = ctx.may_overwrite(*variables)
        values = [v.value for v in variables]
        for value in values:
            check_indices(xp, indices, value.shape[0])
        rows = [xp.take(value, indices, 0) for value in values]
        if grad.shape != rows[0].shape:
            raise invalid(
                f"grad must be the same size as the rows of var{shown(grad)} {shown(rows[0])}"
            )
        step(xp, _scratch(xp, rows[0]), *rows, grad, *rates, **attrs)
        for variable, value, changed in zip(variables, values, rows, strict=True):
            if not overwrites:
                value = variable.value = xp.array(value)
            value[indices] = changed
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
      rows: whether the second one is wanted.
      step: `(xp, scratch, *targets, grad, *rates, **attrs)`: overwrites the targets.
    """

    def __init__(
        self, op_type: str, variables: str, inputs: str, rows: bool, step: Callable
    ) -> None:
        slots, rest = variables.split(), inputs.split()
        self._step = step
        self._attrs = {"use_locking": False, **(step.__kwdefaults__ or {})}
        self._count = len(slots)
        self._gradient = next(name for name in rest if name in _GRADIENTS)
        self._place = len(slots) + rest.index(self._gradient)
        self.__doc__ = step.__doc__
        self.dense = self._declare(op_type, slots, rest, self._dense_kernel())
        self.dense.takes_out = "out" in self._attrs
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
        op_def.attr_names = tuple(name for name in self._attrs if name != "out")
        op_def.attr_defaults = {name: self._attrs[name] for name in op_def.attr_names}
        return op_def

    def _dense_kernel(self) -> Callable:
        step, count, place, after = self._step, self._count, self._place, self._place + 1
        of = self._gradient

        def kernel(
            ctx: Any, *inputs: Any, use_locking: bool = False, out: Any = None, **attrs: Any
        ) -> Any:
            rates = inputs[count:place] + inputs[after:]
            return _apply(ctx, step, inputs[:count], inputs[place], rates, attrs, of, out)

        return kernel

    def _sparse_kernel(self) -> Callable:
        step, count, place, after = self._step, self._count, self._place, self._place + 2

        def kernel(ctx: Any, *inputs: Any, use_locking: bool = False, **attrs: Any) -> Any:
            grad, indices = inputs[place:after]
            rates = inputs[count:place] + inputs[after:]
            return _apply_rows(ctx, step, inputs[:count], grad, indices, rates, attrs)

        return kernel

    def __call__(self, *inputs: Any, indices: Any = None, **attrs: Any) -> Any:
        """Adds the operation; with `indices`, which differ, the one for rows."""
        if indices is None:
            return self.dense(*inputs, **attrs)
        at = self._place + 1
        return self.sparse(*inputs[:at], indices, *inputs[at:], **attrs)


def _update(
    op_type: str, variables: str, inputs: str, rows: bool = True
) -> Callable[[Callable], Update]:
    """Declares the operations of the algorithm whose step is decorated; see `Update`."""

    def decorate(step: Callable) -> Update:
        return Update(op_type, variables, inputs, rows, step)

    return decorate


# ---- gradient descent --------------------------------------------------------------------


@_update("ApplyGradientDescent", "var", "alpha delta", rows=False)
def apply_gradient_descent(xp: Any, t: Any, w: Any, d: Any, alpha: Any, *, out: Any = None) -> None:
    """var -= alpha * delta."""
    xp.multiply(d, alpha, out=t)
    xp.subtract(w, t, out=w)


def _shrink(xp: Any, t: Any, w: Any, rate: Any, l1: Any, l2: Any) -> None:
    """w = sign(w) * max(abs(w) - rate * l1, 0) / (1 + rate * l2): towards zero, and no further."""
    if l1 > 0:
        xp.absolute(w, out=t)
        xp.subtract(t, rate * l1, out=t)
        xp.maximum(t, 0, out=t)
        xp.copysign(t, w, out=w)
    xp.divide(w, 1 + rate * l2, out=w)


@_update("ApplyProximalGradientDescent", "var", "alpha l1 l2 delta")
def apply_proximal_gradient_descent(
    xp: Any, t: Any, w: Any, d: Any, alpha: Any, l1: Any, l2: Any
) -> None:
    """Gradient descent, then a step towards zero that l1 and l2 ask for."""
    xp.multiply(d, alpha, out=t)
    xp.subtract(w, t, out=w)
    _shrink(xp, t, w, alpha, l1, l2)


@_update("ApplyMomentum", "var accum", "lr grad momentum")
def apply_momentum(
    xp: Any,
    t: Any,
    w: Any,
    a: Any,
    g: Any,
    lr: Any,
    momentum: Any,
    *,
    use_nesterov: bool = False,
) -> None:
    """accum = momentum * accum + grad; var -= lr * accum, or with Nesterov's look ahead."""
    xp.multiply(a, momentum, out=a)
    xp.add(a, g, out=a)
    if use_nesterov:
        xp.multiply(a, momentum, out=t)
        xp.add(t, g, out=t)
        xp.multiply(t, lr, out=t)
    else:
        xp.multiply(a, lr, out=t)
    xp.subtract(w, t, out=w)


# ---- a step size for each element --------------------------------------------------------


@_update("ApplyAdam", "var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", rows=False)
def apply_adam(
    xp: Any,
    t: Any,
    w: Any,
    m: Any,
    v: Any,
    g: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    *,
    use_nesterov: bool = False,
) -> None:
    """m = beta1 * m + (1 - beta1) * grad; v = beta2 * v + (1 - beta2) * grad**2;
    var -= rate * m / (sqrt(v) + epsilon).

    The rate is `lr * sqrt(1 - beta2_power) / (1 - beta1_power)`: it undoes the pull of m and v to
    their start at zero.
    """
    add, subtract, multiply = xp.add, xp.subtract, xp.multiply
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    keep1, keep2 = 1 - beta1, 1 - beta2
    # In this form more passes overwrite what they read, and a block's arrays stay in the cache.
    multiply(m, beta1, out=m)
    multiply(g, keep1, out=t)
    add(m, t, out=m)
    multiply(v, beta2, out=v)
    multiply(g, g, out=t)
    multiply(t, keep2, out=t)
    add(v, t, out=v)
    xp.sqrt(v, out=t)
    add(t, epsilon, out=t)
    if use_nesterov:
        xp.divide(m * beta1 + g * keep1, t, out=t)
    else:
        xp.divide(m, t, out=t)
    multiply(t, rate, out=t)
    subtract(w, t, out=w)


def _adagrad_rate(xp: Any, t: Any, a: Any, g: Any) -> None:
    """a += g**2; t = g / sqrt(a)."""
    xp.multiply(g, g, out=t)
    xp.add(a, t, out=a)
    xp.sqrt(a, out=t)
    xp.divide(g, t, out=t)


@_update("ApplyAdagrad", "var accum", "lr grad")
def apply_adagrad(
    xp: Any, t: Any, w: Any, a: Any, g: Any, lr: Any, *, update_slots: bool = True
) -> None:
    """accum += grad**2; var -= lr * grad / sqrt(accum)."""
    if update_slots:
        _adagrad_rate(xp, t, a, g)
    else:
        xp.sqrt(a, out=t)
        xp.divide(g, t, out=t)
    xp.multiply(t, lr, out=t)
    xp.subtract(w, t, out=w)


@_update("ApplyProximalAdagrad", "var accum", "lr l1 l2 grad")
def apply_proximal_adagrad(
    xp: Any, t: Any, w: Any, a: Any, g: Any, lr: Any, l1: Any, l2: Any
) -> None:
    """Adagrad, then a step towards zero that l1 and l2 ask for."""
    _adagrad_rate(xp, t, a, g)
    xp.multiply(t, lr, out=t)
    xp.subtract(w, t, out=w)
    _shrink(xp, t, w, lr / xp.sqrt(a), l1, l2)


@_update(
    "ApplyAdagradDA",
    "var gradient_accumulator gradient_squared_accumulator",
    "grad lr l1 l2 global_step:int64",
)
def apply_adagrad_da(
    xp: Any, t: Any, w: Any, s: Any, q: Any, g: Any, lr: Any, l1: Any, l2: Any, steps: Any
) -> None:
    """Adagrad by dual averaging: var is where all gradients since the start would have led."""
    xp.add(s, g, out=s)
    xp.multiply(g, g, out=t)
    xp.add(q, t, out=q)
    steps = w.dtype.type(steps)
    if l1 > 0:
        xp.absolute(s, out=t)
        xp.subtract(t, l1 * steps, out=t)
        xp.maximum(t, 0, out=t)
        xp.copysign(t, s, out=w)
        xp.multiply(w, -lr, out=w)
    else:
        xp.multiply(s, -lr, out=w)
    xp.sqrt(q, out=t)
    xp.add(t, l2 * steps * lr, out=t)
    xp.divide(w, t, out=w)


@_update("ApplyAdadelta", "var accum accum_update", "lr rho epsilon grad")
def apply_adadelta(
    xp: Any, t: Any, w: Any, a: Any, u: Any, g: Any, lr: Any, rho: Any, epsilon: Any
) -> None:
    """accum and accum_update follow the squares of gradients and updates; the ratio of their roots
    is the step size.
    """
    keep = 1 - rho
    xp.multiply(a, rho, out=a)
    xp.multiply(g, g, out=t)
    xp.multiply(t, keep, out=t)
    xp.add(a, t, out=a)
    move = xp.add(u, epsilon, out=xp.empty_like(u))  # of rank 0, NumPy would make it a scalar
    xp.sqrt(move, out=move)
    xp.add(a, epsilon, out=t)
    xp.sqrt(t, out=t)
    xp.divide(move, t, out=move)
    xp.multiply(move, g, out=move)
    xp.multiply(u, rho, out=u)
    xp.multiply(move, move, out=t)
    xp.multiply(t, keep, out=t)
    xp.add(u, t, out=u)
    xp.multiply(move, lr, out=move)
    xp.subtract(w, move, out=w)


# ---- RMSProp -----------------------------------------------------------------------------


def _follow(xp: Any, t: Any, average: Any, keep: Any) -> None:
    """average += keep * (t - average); `t` is overwritten."""
    xp.subtract(t, average, out=t)
    xp.multiply(t, keep, out=t)
    xp.add(average, t, out=average)


def _rms_move(xp: Any, t: Any, w: Any, mom: Any, g: Any, lr: Any, momentum: Any) -> None:
    """mom = momentum * mom + lr * g / sqrt(t); w -= mom; `t` is overwritten."""
    xp.sqrt(t, out=t)
    xp.divide(g, t, out=t)
    xp.multiply(t, lr, out=t)
    xp.multiply(mom, momentum, out=mom)
    xp.add(mom, t, out=mom)
    xp.subtract(w, mom, out=w)


@_update("ApplyRMSProp", "var ms mom", "lr rho momentum epsilon grad")
def apply_rms_prop(
    xp: Any,
    t: Any,
    w: Any,
    ms: Any,
    mom: Any,
    g: Any,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
) -> None:
    """ms += (1 - rho) * (grad**2 - ms); mom = momentum * mom + lr * grad / sqrt(ms + epsilon);
    var -= mom.
    """
    xp.multiply(g, g, out=t)
    _follow(xp, t, ms, 1 - rho)
    xp.add(ms, epsilon, out=t)
    _rms_move(xp, t, w, mom, g, lr, momentum)


@_update("ApplyCenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad")
def apply_centered_rms_prop(
    xp: Any,
    t: Any,
    w: Any,
    mg: Any,
    ms: Any,
    mom: Any,
    g: Any,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
) -> None:
    """RMSProp that divides by the root of the gradient's variance, ms - mg**2, not of ms."""
    xp.multiply(g, g, out=t)
    _follow(xp, t, ms, 1 - rho)
    t[...] = g
    _follow(xp, t, mg, 1 - rho)
    xp.multiply(mg, mg, out=t)
    xp.subtract(ms, t, out=t)
    xp.add(t, epsilon, out=t)
    _rms_move(xp, t, w, mom, g, lr, momentum)


# ---- Ftrl --------------------------------------------------------------------------------


def _ftrl(
    xp: Any,
    t: Any,
    w: Any,
    a: Any,
    z: Any,
    g: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    shrinkage: Any,
    power: Any,
) -> None:
    new = a + g * g
    root = new**-power
    xp.subtract(root, a**-power, out=t)
    xp.divide(t, lr, out=t)
    xp.multiply(t, w, out=t)
    xp.subtract(g if shrinkage is None else g + 2 * shrinkage * w, t, out=t)
    xp.add(z, t, out=z)
    xp.absolute(z, out=t)
    xp.subtract(t, l1, out=t)
    xp.maximum(t, 0, out=t)
    xp.copysign(t, z, out=t)
    xp.divide(t, root / lr + 2 * l2, out=w)
    xp.negative(w, out=w)
    a[...] = new


@_update("ApplyFtrl", "var accum linear", "grad lr l1 l2 lr_power")
def apply_ftrl(
    xp: Any, t: Any, w: Any, a: Any, z: Any, g: Any, lr: Any, l1: Any, l2: Any, power: Any
) -> None:
    """linear gathers the gradients less what they moved; var is its minimum with l1 and l2."""
    _ftrl(xp, t, w, a, z, g, lr, l1, l2, None, power)


@_update("ApplyFtrlV2", "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power")
def apply_ftrl_v2(
    xp: Any,
    t: Any,
    w: Any,
    a: Any,
    z: Any,
    g: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    shrinkage: Any,
    power: Any,
) -> None:
    """Ftrl with a penalty on large weights that the accumulator does not see."""
    _ftrl(xp, t, w, a, z, g, lr, l1, l2, shrinkage, power)

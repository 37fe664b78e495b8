"""The update of a variable by an optimizer, as one operation: ApplyAdam and its kin.

Each makes several passes over arrays as large as the variable. Passes over a whole large array
would fetch it from memory every time, so the update walks over the arrays in blocks that fit the
second-level cache, with one scratch block a thread:

    var, m, v, grad:  [ block ][ block ][ block ] ...      all passes over a block, then the next
    scratch:          [ block ]
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.float_mode import denormals_as_zero
from minitf.framework.registry import op
from minitf.framework.shapes import TensorShape
from minitf.framework.state import VariableState, aligned_empty
from minitf.framework.tensor import Tensor
from minitf.ops.array import check_same_dimensions
from minitf.ops.elementwise import invalid, shown

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


def _apart(inputs: Sequence[Any], targets: Sequence[Any]) -> list[Any]:
    """The inputs, those copied that share memory with a target: `transpose(var)` as a gradient.

    The first block would overwrite what a later one reads.
    """
    return [x.copy() if any(np.may_share_memory(x, t) for t in targets) else x for x in inputs]


def _apply(
    ctx: Any,
    variables: Sequence[VariableState],
    inputs: Sequence[Any],
    step: Callable[..., None],
    of: str = "grad",
    scratch: Any = None,
) -> VariableState:
    """Runs `step(xp, scratch, *targets, *inputs)`, which overwrites the targets, block by block.

    The targets are the variables' arrays, or copies of them when the old values still have readers.
    The lock of the first variable guards them all: the others are its slots. `of` is what
    messages call the input. `scratch` is the input itself when nobody reads it afterwards and
    `step` reads it once: written over, it saves a third array's way through the cache.
    """
    xp = ctx.xp
    with variables[0].lock:
        targets = [v.value for v in variables]
        first = targets[0]
        for x in inputs:  # NumPy would broadcast, and the variable would grow
            if x.shape != first.shape:
                raise invalid(f"var and {of} do not have the same shape{shown(first)} {shown(x)}")
        copied = not ctx.in_place or not first.ndim
        if copied:
            targets = [xp.array(t) for t in targets]
            first = targets[0]
        if scratch is not None:
            step(xp, scratch, *targets, *inputs)
        elif first.size < _WORTH_A_MODE or xp is not np:
            step(xp, _scratch(xp, first), *targets, *inputs)
        else:
            inputs = _apart(inputs, targets)
            with denormals_as_zero:  # averages that fade out would make large arrays slow
                for views in _blocks([*targets, *inputs]):
                    step(xp, _scratch(xp, views[0]), *views)
        if copied:
            for variable, target in zip(variables, targets, strict=True):
                variable.value = target if target.ndim else target[()]
    return variables[0]


def _update_shape(names: Sequence[str]) -> Callable[..., TensorShape]:
    """The shape function of an update: `var`, its slots and the gradient have one shape."""

    def function(*specs: Any, **attrs: Any) -> TensorShape:
        shape = specs[0].shape
        for name, spec in zip(names, specs, strict=True):
            if name in _RATES:
                if spec.shape.ndims not in (None, 0):
                    raise ValueError(f"Shape must be rank 0 but is rank {spec.shape.ndims}")
            else:
                check_same_dimensions(shape, spec.shape)
                shape = shape.merge_with(spec.shape)
        return shape

    return function


_RATES = {
    "alpha",
    "lr",
    "momentum",
    "rho",
    "epsilon",
    "beta1",
    "beta2",
    "beta1_power",
    "beta2_power",
}


def _declare(op_type: str, variables: str, inputs: str) -> Callable[[Callable], Any]:
    """Declares an update op of `variables` (references) and `inputs`, all of type T."""

    def decorate(kernel: Callable) -> Any:
        names = [*variables.split(), *inputs.split()]
        signature = ", ".join(
            [f"{name}: T&" for name in variables.split()]
            + [f"{name}: T" for name in inputs.split()]
        )
        op_def = op(
            op_type,
            f"{signature} -> out: T&",
            T=dtypes.FLOATS,
            differentiable=False,
            no_samples=_NEEDS_VARIABLE,
        )(kernel)
        op_def.shape(_update_shape(names))
        return op_def

    return decorate


# ---- ApplyGradientDescent ----------------------------------------------------------------


@_declare("ApplyGradientDescent", "var", "alpha delta")
def apply_gradient_descent_op(
    ctx: Any, var: Any, alpha: Any, delta: Any, *, use_locking: bool = False, out: Any = None
) -> Any:
    """var -= alpha * delta."""

    def step(xp: Any, t: Any, w: Any, d: Any) -> None:
        xp.multiply(d, alpha, out=t)
        xp.subtract(w, t, out=w)

    return _apply(ctx, [var], [delta], step, of="delta", scratch=out)


def apply_gradient_descent(
    var: Any, alpha: Any, delta: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """An operation that subtracts `alpha * delta` from the variable `var`."""
    return apply_gradient_descent_op(var, alpha, delta, use_locking=use_locking, name=name)


# ---- ApplyMomentum -----------------------------------------------------------------------


@_declare("ApplyMomentum", "var accum", "lr grad momentum")
def apply_momentum_op(
    ctx: Any,
    var: Any,
    accum: Any,
    lr: Any,
    grad: Any,
    momentum: Any,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    """accum = momentum * accum + grad; var -= lr * accum, or with Nesterov's look ahead."""

    def step(xp: Any, t: Any, w: Any, a: Any, g: Any) -> None:
        xp.multiply(a, momentum, out=a)
        xp.add(a, g, out=a)
        if use_nesterov:
            xp.multiply(a, momentum, out=t)
            xp.add(t, g, out=t)
            xp.multiply(t, lr, out=t)
        else:
            xp.multiply(a, lr, out=t)
        xp.subtract(w, t, out=w)

    return _apply(ctx, [var, accum], [grad], step)


def apply_momentum(
    var: Any,
    accum: Any,
    lr: Any,
    grad: Any,
    momentum: Any,
    use_locking: bool = False,
    use_nesterov: bool = False,
    name: str | None = None,
) -> Tensor:
    """An operation that updates `var` by momentum, with the running gradient in `accum`."""
    return apply_momentum_op(
        var,
        accum,
        lr,
        grad,
        momentum,
        use_locking=use_locking,
        use_nesterov=use_nesterov,
        name=name,
    )


# ---- ApplyAdam ---------------------------------------------------------------------------


@_declare("ApplyAdam", "var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad")
def apply_adam_op(
    ctx: Any,
    var: Any,
    m: Any,
    v: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    """m = beta1 * m + (1 - beta1) * grad; v = beta2 * v + (1 - beta2) * grad**2;
    var -= rate * m / (sqrt(v) + epsilon).

    The rate is `lr * sqrt(1 - beta2_power) / (1 - beta1_power)`: it undoes the pull of m and v to
    their start at zero.
    """
    xp = ctx.xp
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    keep1, keep2 = 1 - beta1, 1 - beta2

    def step(xp: Any, t: Any, w: Any, m: Any, v: Any, g: Any) -> None:
        add, subtract, multiply = xp.add, xp.subtract, xp.multiply
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

    return _apply(ctx, [var, m, v], [grad], step)


def apply_adam(
    var: Any,
    m: Any,
    v: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    use_locking: bool = False,
    use_nesterov: bool = False,
    name: str | None = None,
) -> Tensor:
    """An operation that updates `var` by Adam, with the moments of the gradient in `m` and `v`."""
    return apply_adam_op(
        var,
        m,
        v,
        beta1_power,
        beta2_power,
        lr,
        beta1,
        beta2,
        epsilon,
        grad,
        use_locking=use_locking,
        use_nesterov=use_nesterov,
        name=name,
    )


# ---- ApplyAdagrad ------------------------------------------------------------------------


@_declare("ApplyAdagrad", "var accum", "lr grad")
def apply_adagrad_op(
    ctx: Any,
    var: Any,
    accum: Any,
    lr: Any,
    grad: Any,
    *,
    use_locking: bool = False,
    update_slots: bool = True,
) -> Any:
    """accum += grad**2; var -= lr * grad / sqrt(accum)."""

    def step(xp: Any, t: Any, w: Any, a: Any, g: Any) -> None:
        if update_slots:
            xp.multiply(g, g, out=t)
            xp.add(a, t, out=a)
        xp.sqrt(a, out=t)
        xp.divide(g, t, out=t)
        xp.multiply(t, lr, out=t)
        xp.subtract(w, t, out=w)

    return _apply(ctx, [var, accum], [grad], step)


def apply_adagrad(
    var: Any,
    accum: Any,
    lr: Any,
    grad: Any,
    use_locking: bool = False,
    update_slots: bool = True,
    name: str | None = None,
) -> Tensor:
    """An operation that updates `var` by Adagrad, with the sum of squared gradients in `accum`."""
    return apply_adagrad_op(
        var, accum, lr, grad, use_locking=use_locking, update_slots=update_slots, name=name
    )


# ---- ApplyRMSProp, ApplyCenteredRMSProp --------------------------------------------------


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


@_declare("ApplyRMSProp", "var ms mom", "lr rho momentum epsilon grad")
def apply_rms_prop_op(
    ctx: Any,
    var: Any,
    ms: Any,
    mom: Any,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
    grad: Any,
    *,
    use_locking: bool = False,
) -> Any:
    """ms += (1 - rho) * (grad**2 - ms); mom = momentum * mom + lr * grad / sqrt(ms + epsilon);
    var -= mom.
    """
    keep = 1 - rho

    def step(xp: Any, t: Any, w: Any, ms: Any, mom: Any, g: Any) -> None:
        xp.multiply(g, g, out=t)
        _follow(xp, t, ms, keep)
        xp.add(ms, epsilon, out=t)
        _rms_move(xp, t, w, mom, g, lr, momentum)

    return _apply(ctx, [var, ms, mom], [grad], step)


def apply_rms_prop(
    var: Any,
    ms: Any,
    mom: Any,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
    grad: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Tensor:
    """An operation that updates `var` by RMSProp; mean square in `ms`, momentum in `mom`."""
    return apply_rms_prop_op(
        var, ms, mom, lr, rho, momentum, epsilon, grad, use_locking=use_locking, name=name
    )


@_declare("ApplyCenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad")
def apply_centered_rms_prop_op(
    ctx: Any,
    var: Any,
    mg: Any,
    ms: Any,
    mom: Any,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
    grad: Any,
    *,
    use_locking: bool = False,
) -> Any:
    """RMSProp that divides by the root of the gradient's variance, ms - mg**2, not of ms."""
    keep = 1 - rho

    def step(xp: Any, t: Any, w: Any, mg: Any, ms: Any, mom: Any, g: Any) -> None:
        xp.multiply(g, g, out=t)
        _follow(xp, t, ms, keep)
        t[...] = g
        _follow(xp, t, mg, keep)
        xp.multiply(mg, mg, out=t)
        xp.subtract(ms, t, out=t)
        xp.add(t, epsilon, out=t)
        _rms_move(xp, t, w, mom, g, lr, momentum)

    return _apply(ctx, [var, mg, ms, mom], [grad], step)


def apply_centered_rms_prop(
    var: Any,
    mg: Any,
    ms: Any,
    mom: Any,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
    grad: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Tensor:
    """An operation that updates `var` by centered RMSProp; averages in `mg`, `ms` and `mom`."""
    return apply_centered_rms_prop_op(
        var, mg, ms, mom, lr, rho, momentum, epsilon, grad, use_locking=use_locking, name=name
    )

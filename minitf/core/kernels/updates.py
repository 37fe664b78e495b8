"""The arithmetic of optimizers: one step of each algorithm, over large arrays in blocks.

Each step makes several passes over arrays as large as a variable. Passes over a whole large array
would fetch it from memory every time, so the reference walks over the arrays in blocks that fit
the second-level cache, with one scratch block a thread:

    var, m, v, grad:  [ block ][ block ][ block ] ...      all passes over a block, then the next
    scratch:          [ block ]

The compiled tier makes one pass. An algorithm is written once, as the step of one block; for a
gradient that has only some rows, these are taken out of the variable and its slots, make the
step, and are put back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.graph.state import aligned_empty
from minitf.core.kernels.table import kernel
from minitf.core.kernels.threads import split

_BLOCK = 49152  # elements: five float32 arrays of it fill 960 KB of the second-level cache
_PIECE = 4 * _BLOCK  # elements that are worth another thread
WORTH_BLOCKS = 1024  # elements
_MAX_SCRATCH = 64  # shapes of blocks a thread keeps memory for
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


class Algorithm:
    """One algorithm, for gradients as large as the variable and for rows of it.

    `whole(xp, targets, grad, rates, attrs, spare=None)`, a kernel of the table, overwrites
    `targets`, the arrays of a variable and its slots. `rates` are numbers, `attrs` a dict of
    switches. `spare` is the gradient itself when nobody reads it afterwards and the step reads it
    once (written over, it saves a third array's way through the cache).

    Args:
      step: `(xp, scratch, *targets, grad, *rates, **attrs)`: overwrites the targets.
      compiled: the file of `compiled/` that has a tier, "" for none.
    """

    def __init__(self, step: Callable[..., None], compiled: str) -> None:
        self.step = step
        defaults = step.__kwdefaults__ or {}
        self.attrs = {name: v for name, v in defaults.items() if name != "out"}
        self.takes_out = "out" in defaults

        def reference(*args: Any) -> None:
            self.run(*args)

        reference.__name__, reference.__doc__ = step.__name__, step.__doc__
        self.whole = kernel(compiled)(reference)

    def run(
        self,
        xp: Any,
        targets: Any,
        grad: Any,
        rates: Any,
        attrs: dict,
        spare: Any = None,
        step: Callable[..., None] | None = None,
    ) -> None:
        """The reference of `whole`, with another `step` where one is given."""
        step, first = step or self.step, targets[0]
        if first.size < WORTH_BLOCKS or xp is not np:
            scratch = _scratch(xp, first) if spare is None else spare
            step(xp, scratch, *targets, grad, *rates, **attrs)
            return
        arrays = [*targets, grad if spare is not None else _apart(grad, targets)]

        def work(start: int, stop: int) -> None:
            for views in _blocks([a[start:stop] for a in arrays]):
                scratch = views[-1] if spare is not None else _scratch(xp, views[0])
                step(xp, scratch, *views, *rates, **attrs)

        split(work, len(first), 1 + _PIECE * len(first) // first.size)

    def rows(self, xp: Any, targets: Any, grad: Any, indices: Any, rates: Any, attrs: dict) -> None:
        """The step of the rows `indices`, no two of them the same, of all targets."""
        rows = [xp.take(target, indices, 0) for target in targets]
        self.whole(xp, rows, grad, rates, attrs)
        for target, changed in zip(targets, rows, strict=True):
            target[indices] = changed


def update(compiled: str = "") -> Callable[[Callable[..., None]], Algorithm]:
    """Makes the kernel of the algorithm whose step is decorated; see `Algorithm`."""
    return lambda step: Algorithm(step, compiled)


# ---- gradient descent --------------------------------------------------------------------


@update(compiled="updates")
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


@update()
def apply_proximal_gradient_descent(
    xp: Any, t: Any, w: Any, d: Any, alpha: Any, l1: Any, l2: Any
) -> None:
    """Gradient descent, then a step towards zero that l1 and l2 ask for."""
    xp.multiply(d, alpha, out=t)
    xp.subtract(w, t, out=w)
    _shrink(xp, t, w, alpha, l1, l2)


@update(compiled="updates")
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


@update(compiled="updates")
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


@update(compiled="updates")
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


@update()
def apply_proximal_adagrad(
    xp: Any, t: Any, w: Any, a: Any, g: Any, lr: Any, l1: Any, l2: Any
) -> None:
    """Adagrad, then a step towards zero that l1 and l2 ask for."""
    _adagrad_rate(xp, t, a, g)
    xp.multiply(t, lr, out=t)
    xp.subtract(w, t, out=w)
    _shrink(xp, t, w, lr / xp.sqrt(a), l1, l2)


@update()
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


@update()
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


@update(compiled="updates")
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


@update()
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


@update(compiled="updates")
def apply_ftrl(
    xp: Any, t: Any, w: Any, a: Any, z: Any, g: Any, lr: Any, l1: Any, l2: Any, power: Any
) -> None:
    """linear gathers the gradients less what they moved; var is its minimum with l1 and l2."""
    _ftrl(xp, t, w, a, z, g, lr, l1, l2, None, power)


@update()
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

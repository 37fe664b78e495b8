"""The arithmetic of optimizers: one step of an algorithm, over large arrays in blocks.

A step makes several passes over arrays as large as a variable. The reference goes through them in
blocks that fit the caches, so that memory is read once:

    var, m, v, grad:  [ block ][ block ][ block ] ...      all passes over a block, then the next

The compiled tier makes one pass. An algorithm is one formula. For a gradient of some rows, these
are copied out of the variable and its slots, updated, and written back. The formulas of the core's
three optimizers are here, others beside their optimizers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.table import kernel
from minitf.core.kernels.threads import split

_BLOCK = 1 << 16  # elements: a handful of float32 arrays of it stays in the second-level cache
_PIECE = 1 << 18  # elements that are worth another thread
WORTH_BLOCKS = 1024  # elements
_WORTH_CUTTING = 1 << 17  # elements: below, a formula runs as it is


def _blocks(arrays: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Views of the arrays, all of one shape, a few rows at a time: equal blocks, the last less."""
    first = arrays[0]
    rows = -(-first.shape[0] // -(-first.size // _BLOCK))
    for start in range(0, first.shape[0], rows):
        yield [a[start : start + rows] for a in arrays]


def apart(grad: Any, targets: Sequence[Any]) -> Any:
    """The gradient, copied when it shares memory with a target: `transpose(var)` as a gradient.

    The first block would overwrite what a later one reads.
    """
    return grad.copy() if any(np.may_share_memory(grad, t) for t in targets) else grad


def in_blocks(
    targets: Sequence[Any], grad: Any, run: Callable[[Iterator[Sequence[Any]]], None]
) -> None:
    """Calls `run`, in one thread or several, with the blocks of targets and gradient.

    Each thread gets an iterator of its own; the first block that it gives is the largest.
    """
    first, arrays = targets[0], [*targets, grad]

    def work(start: int, stop: int) -> None:
        run(_blocks([a[start:stop] for a in arrays]))

    split(work, len(first), 1 + _PIECE * len(first) // first.size)


def _alike(targets: Sequence[Any], grad: Any, rates: Any, attrs: Any) -> bool:
    """Whether a variable, its slots and its gradient are of one shape and one type."""
    shape, kind = grad.shape, grad.dtype
    for target in targets:  # no generator: small steps ask this for each variable
        if target.shape != shape or target.dtype != kind:
            return False
    return bool(kind.isnative)


class Algorithm:
    """One algorithm, for gradients as large as the variable and for rows of it.

    `whole(xp, targets, grad, rates, attrs)`, a kernel of the table, overwrites `targets`, the
    arrays of a variable and its slots. `rates` are numbers, `attrs` a dict of switches. Where the
    formula has the keyword `out`, `attrs` may have it, too: it is the gradient itself when nobody
    reads it afterwards (written over, it saves a third array's way through the cache).

    Args:
      formula: `(xp, *targets, grad, *rates, **attrs)`: overwrites the targets; see `Steps`.
      compiled: the file of `compiled/` that has a tier, "" for none.
    """

    def __init__(self, formula: Callable[..., None], compiled: str = "") -> None:
        self.formula = formula
        self.attrs = dict(formula.__kwdefaults__ or {})

        def reference(xp: Any, targets: Any, grad: Any, rates: Any, attrs: dict) -> None:
            if xp is not np or grad.size < _WORTH_CUTTING:
                formula(xp, *targets, grad, *rates, **attrs)
                return
            spare = attrs.get("out") is not None

            def run(blocks: Iterator[Sequence[Any]]) -> None:
                for block in blocks:
                    own = {**attrs, "out": block[-1]} if spare else attrs
                    formula(np, *block, *rates, **own)

            in_blocks(targets, grad if spare else apart(grad, targets), run)

        reference.__name__, reference.__doc__ = formula.__name__, formula.__doc__
        self.whole = kernel(compiled, takes=_alike)(reference)

    def rows(self, xp: Any, targets: Any, grad: Any, indices: Any, rates: Any, attrs: dict) -> None:
        """The step of the rows `indices`, no two of them the same, of all targets."""
        rows = [xp.take(target, indices, 0) for target in targets]
        self.whole(xp, rows, grad, rates, attrs)
        for target, changed in zip(targets, rows, strict=True):
            target[indices] = changed


def algorithm(compiled: str = "") -> Callable[[Callable[..., None]], Algorithm]:
    """Makes the kernel of the algorithm whose formula is decorated; see `Algorithm`."""
    return lambda formula: Algorithm(formula, compiled)


# ---- the three of the core ---------------------------------------------------------------


@algorithm(compiled="updates")
def apply_gradient_descent(xp, w, d, alpha, *, out=None):
    """var -= alpha * delta."""
    w -= xp.multiply(d, alpha, out=out)


@algorithm(compiled="updates")
def apply_momentum(xp, w, a, g, lr, momentum, *, use_nesterov=False):
    """accum = momentum * accum + grad; var -= lr * accum, or with Nesterov's look ahead."""
    a *= momentum
    a += g
    w -= lr * (momentum * a + g) if use_nesterov else lr * a


@algorithm(compiled="updates")
def apply_adam(
    xp, w, m, v, g, beta1_power, beta2_power, lr, beta1, beta2, epsilon, *, use_nesterov=False
):
    """m = beta1 * m + (1 - beta1) * grad; v = beta2 * v + (1 - beta2) * grad**2;
    var -= rate * m / (sqrt(v) + epsilon).

    The rate is `lr * sqrt(1 - beta2_power) / (1 - beta1_power)`: it undoes the pull of m and v to
    their start at zero.
    """
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    m *= beta1
    m += (1 - beta1) * g
    v *= beta2
    v += (1 - beta2) * (g * g)
    move = beta1 * m + (1 - beta1) * g if use_nesterov else m
    w -= rate * (move / (xp.sqrt(v) + epsilon))

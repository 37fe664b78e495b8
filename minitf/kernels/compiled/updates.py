"""Optimizers in one pass over memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.kernels import updates
from minitf.kernels.compiled._loops import loop
from minitf.kernels.threads import split

_PIECE = 200_000  # elements: about 50 us


def _both(arrays: int, numbers: int, flags: int = 0) -> list[str]:
    """The signatures for float32 and float64: so many arrays, then numbers, then switches."""
    return [
        f"void({', '.join([f'{t}[::1]'] * arrays + [t] * numbers + ['boolean'] * flags)})"
        for t in ("float32", "float64")
    ]


@loop(*_both(2, 1))
def _gradient_descent(w, d, alpha):
    for i in range(w.size):
        w[i] -= alpha * d[i]


@loop(*_both(3, 2, 1))
def _momentum(w, a, g, lr, momentum, nesterov):
    ahead = momentum if nesterov else w.dtype.type(0)
    for i in range(w.size):
        new = a[i] * momentum + g[i]
        a[i] = new
        w[i] -= lr * (new * ahead + g[i]) if nesterov else lr * new


@loop(*_both(4, 6, 1))
def _adam(w, m, v, g, beta1_power, beta2_power, lr, beta1, beta2, epsilon, nesterov):
    one = w.dtype.type(1)
    rate = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    keep1, keep2 = one - beta1, one - beta2
    for i in range(w.size):
        m[i] = m[i] * beta1 + g[i] * keep1
        v[i] = v[i] * beta2 + g[i] * g[i] * keep2
        move = m[i] * beta1 + g[i] * keep1 if nesterov else m[i]
        w[i] -= rate * (move / (np.sqrt(v[i]) + epsilon))


@loop(*_both(3, 1, 1))
def _adagrad(w, a, g, lr, update_slots):
    for i in range(w.size):
        new = a[i] + g[i] * g[i] if update_slots else a[i]
        a[i] = new
        w[i] -= lr * (g[i] / np.sqrt(new))


@loop(*_both(4, 4))
def _rms_prop(w, ms, mom, g, lr, rho, momentum, epsilon):
    keep = w.dtype.type(1) - rho
    for i in range(w.size):
        ms[i] += keep * (g[i] * g[i] - ms[i])
        mom[i] = momentum * mom[i] + lr * (g[i] / np.sqrt(ms[i] + epsilon))
        w[i] -= mom[i]


@loop(*_both(4, 3))
def _ftrl(w, a, z, g, lr, l1, l2):
    zero, two = w.dtype.type(0), w.dtype.type(2)
    for i in range(w.size):
        new = a[i] + g[i] * g[i]
        root = np.sqrt(new)
        z[i] += g[i] - (root - np.sqrt(a[i])) / lr * w[i]
        a[i] = new
        size = abs(z[i]) - l1
        size = size if size > zero or size != size else zero
        w[i] = -np.copysign(size, z[i]) / (root / lr + two * l2)


def _run(run: Callable[..., None], arrays: Sequence[Any], *numbers: Any) -> Any:
    """Runs a loop over the arrays as they lie in memory; refuses what it was not made for."""
    first = arrays[0]
    if first.dtype.char not in "fd":
        return NotImplemented
    flat = []
    for array in arrays:
        if not array.flags.c_contiguous or array.dtype is not first.dtype:
            return NotImplemented
        flat.append(array.reshape(-1))
    if first.size < 2 * _PIECE:
        run(*flat, *numbers)
    else:
        split(lambda lo, hi: run(*[a[lo:hi] for a in flat], *numbers), first.size, _PIECE)
    return None


def _serve(
    algorithm: updates.Algorithm,
    run: Callable[..., None],
    serves: Callable[..., bool] = lambda rates: True,
    numbers: int | None = None,
) -> None:
    """Enters a loop into the table.

    Args:
      algorithm: whose step it makes.
      run: the loop over targets, gradient, rates and switches.
      serves: whether it was made for these rates.
      numbers: how many of the rates it takes; None: all.
    """
    defaults = algorithm.attrs

    @algorithm.whole.tier("numba")
    def whole(targets: Any, grad: Any, rates: Any, attrs: dict, spare: Any = None) -> Any:
        if not serves(rates):
            return NotImplemented
        switches = [attrs.get(name, usual) for name, usual in defaults.items()]
        return _run(run, (*targets, grad), *map(float, rates[:numbers]), *switches)


_serve(updates.apply_gradient_descent, _gradient_descent)
_serve(updates.apply_momentum, _momentum)
_serve(updates.apply_adam, _adam)
_serve(updates.apply_adagrad, _adagrad)
_serve(updates.apply_rms_prop, _rms_prop)
_serve(updates.apply_ftrl, _ftrl, lambda rates: rates[3] == -0.5, numbers=3)  # a square root

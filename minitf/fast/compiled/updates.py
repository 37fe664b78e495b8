"""Optimizers in one pass over memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.kernels import updates
from minitf.core.kernels.threads import split
from minitf.core.kernels.updates import Algorithm
from minitf.fast.compiled._loops import loop
from minitf.library.optimizers.optimizers import apply_adagrad, apply_ftrl, apply_rms_prop

_PIECE = 200_000  # elements: about 50 us


def _both(targets: int, numbers: int, switches: int = 0) -> list[str]:
    """The signatures for float32 and float64: so many targets, a gradient, numbers, switches."""
    return [
        "void({})".format(
            ", ".join(
                [f"{t}[::1]"] * targets
                + [f"const({t}[::1])"]
                + [t] * numbers
                + ["boolean"] * switches
            )
        )
        for t in ("float32", "float64")
    ]


@loop(*_both(1, 1), in_order=True)
def _gradient_descent(w, d, alpha):
    for i in range(w.size):
        w[i] -= alpha * d[i]


@loop(*_both(2, 2, 1), in_order=True)
def _momentum(w, a, g, lr, momentum, nesterov):
    ahead = momentum if nesterov else w.dtype.type(0)
    for i in range(w.size):
        new = a[i] * momentum + g[i]
        a[i] = new
        w[i] -= lr * (new * ahead + g[i]) if nesterov else lr * new


@loop(*_both(3, 6, 1), in_order=True)
def _adam(w, m, v, g, beta1_power, beta2_power, lr, beta1, beta2, epsilon, nesterov):
    one = w.dtype.type(1)
    rate = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    keep1, keep2 = one - beta1, one - beta2
    for i in range(w.size):
        m[i] = m[i] * beta1 + g[i] * keep1
        v[i] = v[i] * beta2 + g[i] * g[i] * keep2
        move = m[i] * beta1 + g[i] * keep1 if nesterov else m[i]
        w[i] -= rate * (move / (np.sqrt(v[i]) + epsilon))


@loop(*_both(2, 1, 1), in_order=True)
def _adagrad(w, a, g, lr, update_slots):
    for i in range(w.size):
        new = a[i] + g[i] * g[i] if update_slots else a[i]
        a[i] = new
        w[i] -= lr * (g[i] / np.sqrt(new))


@loop(*_both(3, 4), in_order=True)
def _rms_prop(w, ms, mom, g, lr, rho, momentum, epsilon):
    keep = w.dtype.type(1) - rho
    for i in range(w.size):
        ms[i] += keep * (g[i] * g[i] - ms[i])
        mom[i] = momentum * mom[i] + lr * (g[i] / np.sqrt(ms[i] + epsilon))
        w[i] -= mom[i]


@loop(*_both(3, 3), in_order=True)
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


def _serve(
    algorithm: Algorithm,
    run: Callable[..., None],
    serves: Callable[..., bool] | None = None,
    numbers: int | None = None,
) -> None:
    """Enters a loop into the table.

    Args:
      algorithm: whose step it makes.
      run: the loop over targets, gradient, rates and switches.
      serves: whether it was made for these rates; None: it was.
      numbers: how many of the rates it takes; None: all.
    """
    switches = [(name, v) for name, v in algorithm.attrs.items() if name != "out"]

    @algorithm.whole.tier("numba")
    def whole(targets: Any, grad: Any, rates: Any, attrs: dict) -> Any:
        kind = grad.dtype
        if kind.char not in "fd" or (serves is not None and not serves(rates)):
            return NotImplemented
        arrays = []
        for array in (*targets, grad):
            if not array.flags.c_contiguous:
                return NotImplemented
            arrays.append(array if array.ndim == 1 else array.reshape(-1))
        rest = [float(rate) for rate in rates[:numbers]]
        if switches:
            rest += [attrs.get(name, usual) for name, usual in switches]
        if grad.size < 2 * _PIECE:
            run(*arrays, *rest)
        else:
            split(lambda lo, hi: run(*[a[lo:hi] for a in arrays], *rest), grad.size, _PIECE)
        return None


_serve(updates.apply_gradient_descent, _gradient_descent)
_serve(updates.apply_momentum, _momentum)
_serve(updates.apply_adam, _adam)
_serve(apply_adagrad.algorithm, _adagrad)
_serve(apply_rms_prop.algorithm, _rms_prop)
_serve(apply_ftrl.algorithm, _ftrl, lambda rates: rates[3] == -0.5, numbers=3)  # a square root

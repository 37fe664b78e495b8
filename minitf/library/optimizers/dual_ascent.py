"""Stochastic dual coordinate ascent for linear models (Shalev-Shwartz and Zhang, 2013).

The loss of n examples, sum_i f(w x_i, y_i) + l2/2 |w|^2 + l1 |w|_1, is least where its dual, of one
number a_i for each example, is greatest; there w = shrunk(sum_i a_i x_i) / l2. A sweep
takes one example after the other, finds the best a_i while all others stay, and moves w with it:
there is no learning rate. What is left to win is known, too: the duality gap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.ops.elementwise import invalid


def _sigmoid(t: float) -> float:
    return 0.5 * (1 + math.tanh(t / 2))


def _x_log_x(x: float) -> float:
    return x * math.log(x) if x > 0 else 0.0


def _logistic(y: float, wx: float, a: float, c: float) -> float:
    """y a is the probability of the wrong class; t, its logit, is where a rising function is 0."""
    m, p = y * wx, y * a
    low, high = -m - c * (1 - p), c * p - m
    t = (low + high) / 2
    for _ in range(100):
        value = t + m + c * (_sigmoid(t) - p)
        low, high = (low, t) if value > 0 else (t, high)
        after = t - value / (1 + c * _sigmoid(t) * _sigmoid(-t))  # Newton's step, or the middle
        last, t = t, after if low <= after <= high else (low + high) / 2
        if abs(t - last) <= 1e-12 * (1 + abs(t)):
            break
    return y * _sigmoid(t)


def _squared(y: float, wx: float, a: float, c: float) -> float:
    return a + (y - wx - a) / (1 + c)


class _Loss(NamedTuple):
    """A loss of one example.

    Args:
      best: (y, w x, a, c) -> the best a, where a step of a moves w x by c.
      primal: (y, w x) -> the loss.
      dual: (y, a) -> its part of the dual, negative.
      signs: whether labels 0 and 1 stand for y = -1 and 1.
    """

    best: Callable[[float, float, float, float], float]
    primal: Callable[[float, float], float]
    dual: Callable[[float, float], float]
    signs: bool = True


LOSSES = {
    "logistic_loss": _Loss(
        _logistic,
        lambda y, wx: float(np.logaddexp(0, -y * wx)),
        lambda y, a: _x_log_x(y * a) + _x_log_x(1 - y * a),
    ),
    "squared_loss": _Loss(
        _squared, lambda y, wx: (y - wx) ** 2 / 2, lambda y, a: a * (a / 2 - y), signs=False
    ),
}


def _sample(loss_type: str) -> Callable[[Any], tuple]:
    def sample(rng: Any) -> tuple:
        arrays = (
            rng.normal(size=(3, 2)),
            np.array([0, 2, 2]),
            np.array([1, 0, 1]),
            np.ones(3),
            np.array([0.0, 1.0, 1.0]),
            np.ones(3),
            np.zeros(4),
            np.zeros((3, 4)),
        )
        typed = [x.astype(np.float32 if x.dtype.kind == "f" else np.int64) for x in arrays]
        return (*typed, {"loss_type": loss_type, "l2": 1.0})

    return sample


@op(
    "SdcaSweep",
    "dense: float32, rows: int64, ids: int64, values: float32, labels: float32, "
    "example_weights: float32, weights: float32, state: float32 -> "
    "new_state: float32, delta: float32",
    host_only=True,
    differentiable=False,
    samples=[_sample(loss_type) for loss_type in LOSSES],
)
def sdca_sweep(
    xp: Any,
    dense: Any,
    rows: Any,
    ids: Any,
    values: Any,
    labels: Any,
    example_weights: Any,
    weights: Any,
    state: Any,
    *,
    loss_type: str,
    l1: float = 0.0,
    l2: float = 1.0,
    num_loss_partitions: int = 1,
) -> Any:
    """Takes each example of a batch once, and finds its best dual number.

    Features are [batch, n] `dense` ones, with the first n weights, and sparse ones, where example
    `rows[k]` has `values[k]` for the weight n + `ids[k]`. The state of an example is its dual
    number, its loss, its part of the dual, and its weight.
    """
    loss, shrinkage = LOSSES[loss_type], l1 / l2
    count, width = dense.shape
    if state.shape != (count, 4):
        got = brackets(TensorShape(state.shape))
        raise invalid(f"Expected shape [{count},4] for example_state_data, got {got}")
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(count + 1))
    weights, state = weights.astype(np.float64), state.copy()
    delta, first = np.zeros_like(weights), np.arange(width)

    def product(x: Any, w: Any) -> float:
        return float(x @ (np.sign(w) * np.maximum(np.abs(w) - shrinkage, 0)))

    for row in range(count):
        own = order[starts[row] : starts[row + 1]]
        places, which = np.unique(np.concatenate([first, width + ids[own]]), return_inverse=True)
        x = np.bincount(which, np.concatenate([dense[row], values[own]]))
        here, moved = weights[places], delta[places]
        y = 2.0 * float(labels[row]) - 1 if loss.signs else float(labels[row])
        weight, a = float(example_weights[row]), float(state[row, 0])
        c = num_loss_partitions * weight * float(x @ x) / l2
        best = loss.best(y, product(x, here + num_loss_partitions * moved), a, c)
        primal, dual = loss.primal(y, product(x, here)), loss.dual(y, a)
        state[row] = best, weight * primal, weight * dual, weight
        delta[places] += (best - a) * weight / l2 * x
    return state, delta.astype(np.float32)


sdca_sweep.shape(lambda *inputs, **_: (inputs[7].shape, inputs[6].shape))

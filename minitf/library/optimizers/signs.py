"""Optimizers that a search found: the step is larger where gradient and running mean agree.

    m   <- beta * m + (1 - beta) * gradient
    PowerSign   var <- var - lr * base^(decay * sign(gradient) * sign(m)) * gradient
    AddSign     var <- var - lr * (alpha + decay * sign(gradient) * sign(m)) * gradient

Bello, Zoph, Vasudevan and Le, "Neural Optimizer Search with Reinforcement Learning" (2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where
from minitf.core.ops.math import cos, floormod, maximum, minimum
from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Optimizer, Rule

Decay = Callable[[Any], Any]


@update("ApplyPowerSign", "var m", "lr logbase sign_decay beta grad")
def apply_power_sign(xp, var, m, g, lr, logbase, sign_decay, beta):
    """m = beta * m + (1 - beta) * grad; var -= lr * exp(logbase * decay * agreement) * grad."""
    m += (1 - beta) * (g - m)
    var -= lr * (xp.exp(logbase * sign_decay * (xp.sign(g) * xp.sign(m))) * g)


@update("ApplyAddSign", "var m", "lr alpha sign_decay beta grad")
def apply_add_sign(xp, var, m, g, lr, alpha, sign_decay, beta):
    """m = beta * m + (1 - beta) * grad; var -= lr * (alpha + decay * agreement) * grad."""
    m += (1 - beta) * (g - m)
    var -= lr * ((alpha + sign_decay * (xp.sign(g) * xp.sign(m))) * g)


class _Sign(Optimizer):
    _sign_decay: Any = 1.0
    _sign_decay_fn: Decay | None

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """As `Optimizer.apply_gradients`; the decay of signs follows the global step."""
        if self._sign_decay_fn is not None:
            self._sign_decay = self._sign_decay_fn(global_step)
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        """The running mean is that of the whole variable; without a gradient a row stays."""
        return self._apply_dense(convert_to_tensor(grad), var)


class PowerSignOptimizer(_Sign):
    """Steps that grow by a power where the gradient has the sign of its running mean.

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      base: of the power.
      beta: how slowly the mean forgets.
      sign_decay_fn: from the global step to how much signs still count.
      use_locking, name: see `Optimizer`.
    """

    def __init__(
        self, learning_rate: Any = 0.1, base: float = math.e, beta: Any = 0.9,
        sign_decay_fn: Decay | None = None, use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._logbase, self._beta = learning_rate, math.log(base), beta
        self._sign_decay_fn = sign_decay_fn
        settings = ("lr", "logbase", "sign_decay", "beta")
        self._rule = Rule(apply_power_sign, settings, {"m": 0.0}, names={"lr": "learning_rate"})


class AddSignOptimizer(_Sign):
    """Steps that grow by a sum where the gradient has the sign of its running mean.

    Args:
      alpha: added to the agreement of signs.

    The other arguments are those of `PowerSignOptimizer`.
    """

    def __init__(
        self, learning_rate: Any = 0.1, alpha: Any = 1.0, beta: Any = 0.9,
        sign_decay_fn: Decay | None = None, use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._alpha, self._beta = learning_rate, alpha, beta
        self._sign_decay_fn = sign_decay_fn
        settings = ("lr", "alpha", "sign_decay", "beta")
        self._rule = Rule(apply_add_sign, settings, {"m": 0.0}, names={"lr": "learning_rate"})


def _part_done(global_step: Any, decay_steps: Any, kind: str) -> Any:
    if global_step is None:
        raise ValueError(f"global_step is required for {kind}.")
    done = cast(minimum(global_step, decay_steps), dtypes.float32)
    return done / cast(decay_steps, dtypes.float32)


def _wave(turns: Any, over: Any) -> Any:
    """From 1 down to 0 and up again in two turns of a half; 0 where it is over."""
    height = 0.5 * (1.0 + cos(math.pi * turns))
    return height if over is None else where(over, 0.0 * height, height)


def get_linear_decay_fn(decay_steps: Any) -> Decay:
    """Makes a decay from 1 to 0 along a line."""
    return lambda step: maximum(0.0, 1.0 - _part_done(step, decay_steps, "linear_decay"))


def get_cosine_decay_fn(
    decay_steps: Any, num_periods: float = 0.5, zero_after: float | None = None
) -> Decay:
    """Makes a decay along a cosine of so many periods; after some of them it can be 0."""

    def decay(step: Any) -> Any:
        turns = 2.0 * num_periods * _part_done(step, decay_steps, "cosine_decay")
        return _wave(turns, None if zero_after is None else turns >= 2 * zero_after)

    return decay


def get_restart_decay_fn(
    decay_steps: Any, num_periods: int = 1, zero_after: float | None = None
) -> Decay:
    """Makes a decay along half a cosine that starts anew so many times; see the one above."""

    def decay(step: Any) -> Any:
        done = num_periods * _part_done(step, decay_steps, "cosine_decay")
        over = None if zero_after is None else done >= zero_after
        return _wave(floormod(done, 1.0), over)

    return decay

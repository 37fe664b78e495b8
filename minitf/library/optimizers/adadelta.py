"""Adadelta: a step size for each element from the sizes of its past gradients and steps.

accum        <- rho * accum + (1 - rho) * gradient^2
step          = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * gradient
accum_update <- rho * accum_update + (1 - rho) * step^2
var          <- var - learning_rate * step
"""

from __future__ import annotations

from typing import Any

from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Optimizer, Rule


@update("ApplyAdadelta", "var accum accum_update", "lr rho epsilon grad")
def apply_adadelta(xp, w, a, u, g, lr, rho, eps):
    """accum and accum_update follow the squares of gradients and updates; the ratio of their roots
    is the step size.
    """
    a *= rho
    a += (1 - rho) * (g * g)
    move = xp.sqrt(u + eps) / xp.sqrt(a + eps) * g
    u *= rho
    u += (1 - rho) * (move * move)
    w -= lr * move


class AdadeltaOptimizer(Optimizer):
    """The Adadelta algorithm (Zeiler, 2012).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one; 1 in the paper.
      rho: how slowly the averages forget.
      epsilon: what the first step is made of; keeps the division from zero.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slots (`W/Adadelta`).
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._rule = Rule(
            apply_adadelta,
            settings=("lr", "rho", "epsilon"),
            slots={"accum": 0.0, "accum_update": 0.0},
            suffix="_t",
        )

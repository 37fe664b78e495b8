"""Proximal methods: a step of gradient descent or Adagrad, then a step towards simple weights.

    var <- var - rate * gradient
    var <- sign(var) * max(|var| - rate * l1, 0) / (1 + rate * l2)

The second line is the exact minimum of what l1 and l2 ask for near the first; with l1 many weights
become exactly zero.
"""

from __future__ import annotations

from typing import Any

from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Optimizer, Rule
from minitf.library.optimizers.adagrad import check_positive

_SETTINGS = ("learning_rate", "l1_regularization_strength", "l2_regularization_strength")


def _shrink(xp, w, rate, l1, l2):
    """Moves w towards zero, and no further."""
    if l1 > 0:
        w[...] = xp.copysign(xp.maximum(xp.absolute(w) - rate * l1, 0), w)
    w /= 1 + rate * l2


@update("ApplyProximalAdagrad", "var accum", "lr l1 l2 grad")
def apply_proximal_adagrad(xp, w, a, g, lr, l1, l2):
    """Adagrad, then a step towards zero that l1 and l2 ask for."""
    a += g * g
    w -= lr * (g / xp.sqrt(a))
    _shrink(xp, w, lr / xp.sqrt(a), l1, l2)


class ProximalAdagradOptimizer(Optimizer):
    """Adagrad with proximal steps (Duchi and Singer, 2009).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      initial_accumulator_value: where the accumulators start; positive.
      l1_regularization_strength: pulls variables to zero; not negative.
      l2_regularization_strength: makes large variables smaller; not negative.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slot (`W/ProximalAdagrad`).

    Raises:
      ValueError: when `initial_accumulator_value` is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._rule = Rule(
            apply_proximal_adagrad,
            _SETTINGS,
            slots={"accumulator": initial_accumulator_value},
            constants=True,
        )

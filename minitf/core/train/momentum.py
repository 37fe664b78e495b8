"""Momentum: gradients accumulate into a velocity, which moves the variable.

accumulation <- momentum * accumulation + gradient
var          <- var - learning_rate * accumulation
"""

from __future__ import annotations

from typing import Any

from minitf.core.ops import updates as training_ops
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable


class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum (Polyak, 1964).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      momentum: how much of the accumulation is kept from one step to the next; the same kinds.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slot (`W/Momentum`).
      use_nesterov: look ahead along the accumulation (Sutskever and others, 2013).
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "momentum", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._setting(self._learning_rate, "learning_rate")
        self._momentum_tensor = self._setting(self._momentum, "momentum")

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        return training_ops.apply_momentum(
            var,
            self.get_slot(var, "momentum"),
            self._cast_to(self._learning_rate_tensor, var),
            grad,
            self._cast_to(self._momentum_tensor, var),
            indices=indices,
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        )

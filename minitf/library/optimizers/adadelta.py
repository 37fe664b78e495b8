"""Adadelta: a step size for each element from the sizes of its past gradients and steps.

accum        <- rho * accum + (1 - rho) * gradient^2
step          = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * gradient
accum_update <- rho * accum_update + (1 - rho) * step^2
var          <- var - learning_rate * step
"""

from __future__ import annotations

from typing import Any

from minitf.core.ops import updates as training_ops
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable


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

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "accum", self._name)
            self._zeros_slot(variable, "accum_update", self._name)

    def _prepare(self) -> None:
        self._lr_t = self._setting(self._lr, "lr")
        self._rho_t = self._setting(self._rho, "rho")
        self._epsilon_t = self._setting(self._epsilon, "epsilon")

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        return training_ops.apply_adadelta(
            var,
            self.get_slot(var, "accum"),
            self.get_slot(var, "accum_update"),
            self._cast_to(self._lr_t, var),
            self._cast_to(self._rho_t, var),
            self._cast_to(self._epsilon_t, var),
            grad,
            indices=indices,
            use_locking=self._use_locking,
        )

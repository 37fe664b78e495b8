"""Proximal methods: a step of gradient descent or Adagrad, then a step towards simple weights.

    var <- var - rate * gradient
    var <- sign(var) * max(|var| - rate * l1, 0) / (1 + rate * l2)

The second line is the exact minimum of what l1 and l2 ask for near the first; with l1 many weights
become exactly zero.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.convert import constant
from minitf.core.ops import updates as training_ops
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable


class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent with proximal steps (Duchi and Singer, 2009).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      l1_regularization_strength: pulls variables to zero; not negative.
      l2_regularization_strength: makes large variables smaller; not negative.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates.
    """

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength

    def _prepare(self) -> None:
        self._settings = (
            self._setting(self._learning_rate, "learning_rate"),
            self._setting(self._l1, "l1_regularization_strength"),
            self._setting(self._l2, "l2_regularization_strength"),
        )

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        return training_ops.apply_proximal_gradient_descent(
            var,
            *(self._cast_to(setting, var) for setting in self._settings),
            grad,
            indices=indices,
            use_locking=self._use_locking,
        )


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
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            with stacks.colocate_with(variable.op):
                start = constant(
                    self._initial_accumulator_value,
                    shape=variable.shape,
                    dtype=variable.dtype.base_dtype,
                )
            self._get_or_make_slot(variable, start, "accumulator", self._name)

    def _prepare(self) -> None:
        self._settings = (
            self._setting(self._learning_rate, "learning_rate"),
            self._setting(self._l1, "l1_regularization_strength"),
            self._setting(self._l2, "l2_regularization_strength"),
        )

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        return training_ops.apply_proximal_adagrad(
            var,
            self.get_slot(var, "accumulator"),
            *(self._cast_to(setting, var) for setting in self._settings),
            grad,
            indices=indices,
            use_locking=self._use_locking,
        )

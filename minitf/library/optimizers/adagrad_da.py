"""AdagradDA: Adagrad by dual averaging, for sparse linear models.

    sum     <- sum + gradient
    squares <- squares + gradient^2
    var     <- -learning_rate * shrunk(sum) / (sqrt(squares) + l2 * steps * learning_rate)

`shrunk` moves the sum towards zero by l1 * steps, so that many variables are exactly zero.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.convert import constant
from minitf.core.ops import updates as training_ops
from minitf.core.ops.array import identity
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable


class AdagradDAOptimizer(Optimizer):
    """The Adagrad dual averaging algorithm (Duchi, Hazan and Singer, 2011).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      global_step: an int64 variable that counts the steps.
      initial_gradient_squared_accumulator_value: where the squares start; positive.
      l1_regularization_strength: pulls variables to zero; not negative.
      l2_regularization_strength: makes large variables smaller; not negative.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slots (`W/AdagradDA`).

    Raises:
      ValueError: when the start is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._start = initial_gradient_squared_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength
        self._global_step = global_step

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            dtype = variable.dtype.base_dtype
            with stacks.colocate_with(variable.op):
                zeros = constant(0.0, shape=variable.shape, dtype=dtype)
                start = constant(self._start, shape=variable.shape, dtype=dtype)
            self._get_or_make_slot(variable, zeros, "gradient_accumulator", self._name)
            self._get_or_make_slot(variable, start, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._setting(self._learning_rate, "learning_rate")
        with stacks.colocate_with(self._learning_rate_tensor):
            self._step_of_update = identity(self._global_step) + 1

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        with stacks.device(var.device):
            step = identity(self._step_of_update)
        dtype = var.dtype.base_dtype
        return training_ops.apply_adagrad_da(
            var,
            self.get_slot(var, "gradient_accumulator"),
            self.get_slot(var, "gradient_squared_accumulator"),
            grad,
            self._cast_to(self._learning_rate_tensor, var),
            constant(self._l1, dtype, name="Cast/x"),
            constant(self._l2, dtype, name="Cast_1/x"),
            step,
            indices=indices,
            use_locking=self._use_locking,
        )

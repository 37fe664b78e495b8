"""Adagrad: a step size for each element, smaller the larger its gradients have been.

accumulator <- accumulator + gradient^2
var         <- var - learning_rate * gradient / sqrt(accumulator)
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.graph import Tensor
from minitf.core.ops import updates as training_ops
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill
from minitf.core.ops.cast import cast
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.initializers import constant_initializer
from minitf.core.variables.variables import Variable


class AdagradOptimizer(Optimizer):
    """The Adagrad algorithm (Duchi, Hazan and Singer, 2011).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      initial_accumulator_value: where the accumulators start; positive.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slot (`W/Adagrad`).

    Raises:
      ValueError: when `initial_accumulator_value` is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            dtype = variable.dtype.base_dtype
            initializer: Any
            if variable.shape.is_fully_defined():
                initializer = constant_initializer(self._initial_accumulator_value, dtype=dtype)
            else:
                initializer = self._initializer_of_unknown_shape(variable)
            self._get_or_make_slot_with_initializer(
                variable, initializer, variable.shape, dtype, "accumulator", self._name
            )

    def _initializer_of_unknown_shape(self, variable: Variable) -> Any:
        def initialize() -> Tensor:
            shape = shape_of(variable.initialized_value())
            filled = fill(shape, self._initial_accumulator_value)
            return cast(filled, variable.dtype.base_dtype)

        return initialize

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._setting(self._learning_rate, "learning_rate")

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        return training_ops.apply_adagrad(
            var,
            self.get_slot(var, "accumulator"),
            self._cast_to(self._learning_rate_tensor, var),
            grad,
            indices=indices,
            use_locking=self._use_locking,
        )

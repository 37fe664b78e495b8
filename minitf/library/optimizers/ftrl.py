"""Ftrl: "follow the regularized leader", online learning of sparse linear models.

accum  <- accum + gradient^2
linear <- linear + gradient - (accum_new^-p - accum^-p) / learning_rate * var
var    <- 0 where |linear| <= l1, else (sign(linear) * l1 - linear) / (accum^-p / lr + 2 * l2)
"""

from __future__ import annotations

from typing import Any

from minitf.core.ops import updates as training_ops
from minitf.core.ops.math import maximum
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.initializers import ones_initializer
from minitf.core.variables.variables import Variable


class FtrlOptimizer(Optimizer):
    """The FTRL-Proximal algorithm (McMahan and others, 2013).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      learning_rate_power: how the learning rate falls; not positive, 0 for a fixed one.
      initial_accumulator_value: where the accumulators start; not negative.
      l1_regularization_strength: pulls variables to zero; not negative.
      l2_regularization_strength: makes large variables smaller; not negative.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slots (`W/Ftrl`, `W/Ftrl_1`).
      accum_name, linear_name: other names of the slots.
      l2_shrinkage_regularization_strength: a penalty on large variables; not negative.
      beta: of the paper; lowers the first steps.

    Raises:
      ValueError: when a number has the wrong sign.
    """

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"initial_accumulator_value {initial_accumulator_value:f} needs to be positive or "
                "zero"
            )
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        for key, value in (
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{key} {value:f} needs to be positive or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength
        self._shrinkage = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name = accum_name
        self._linear_name = linear_name

    def _create_slots(self, var_list: list[Variable]) -> None:
        def initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return ones_initializer()(shape, dtype) * self._initial_accumulator_value

        for variable in var_list:
            dtype = variable.dtype.base_dtype
            self._get_or_make_slot_with_initializer(
                variable,
                initializer,
                variable.shape,
                dtype,
                "accum",
                self._accum_name or self._name,
            )
            self._zeros_slot(variable, "linear", self._linear_name or self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._setting(self._learning_rate, "learning_rate")
        self._l1_tensor = self._setting(self._l1, "l1_regularization_strength")
        # beta / (2 * learning rate) acts as more of l2 does.
        self._l2_tensor = self._l2 + self._beta / (2.0 * maximum(self._learning_rate, 1e-36))
        self._shrinkage_tensor = self._setting(
            self._shrinkage, "l2_shrinkage_regularization_strength"
        )
        self._power_tensor = self._setting(self._learning_rate_power, "learning_rate_power")

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        settings = [
            self._learning_rate_tensor,
            self._l1_tensor,
            self._l2_tensor,
            self._power_tensor,
        ]
        update = training_ops.apply_ftrl
        if self._shrinkage > 0.0:
            settings.insert(3, self._shrinkage_tensor)
            update = training_ops.apply_ftrl_v2
        return update(
            var,
            self.get_slot(var, "accum"),
            self.get_slot(var, "linear"),
            grad,
            *(self._cast_to(setting, var) for setting in settings),
            indices=indices,
            use_locking=self._use_locking,
        )

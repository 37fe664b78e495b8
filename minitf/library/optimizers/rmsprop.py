"""RMSProp: gradients divided by a moving average of their size.

    rms      <- decay * rms + (1 - decay) * gradient^2
    momentum <- momentum_rate * momentum + learning_rate * gradient / sqrt(rms + epsilon)
    var      <- var - momentum

The centered variant subtracts the square of the gradient's moving average from rms: an estimate of
the variance.
"""

from __future__ import annotations

from typing import Any

from minitf.core.ops import updates as training_ops
from minitf.core.ops.array_filling import ones_like
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.initializers import ones_initializer
from minitf.core.variables.variables import Variable


class RMSPropOptimizer(Optimizer):
    """The RMSProp algorithm (Tieleman and Hinton, 2012).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      decay: how slowly the moving averages forget.
      momentum: how much of the last step is kept.
      epsilon: keeps the division from zero.
      use_locking: accepted; an update always holds the variable's lock.
      centered: divide by an estimate of the standard deviation.
      name: the name scope of the updates, and the name of the slots (`W/RMSProp`, `W/RMSProp_1`).
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            dtype = variable.dtype.base_dtype
            if variable.shape.is_fully_defined():
                self._get_or_make_slot_with_initializer(
                    variable, ones_initializer(dtype), variable.shape, dtype, "rms", self._name
                )
            else:
                ones = ones_like(variable.initialized_value())
                self._get_or_make_slot(variable, ones, "rms", self._name)
            if self._centered:
                self._zeros_slot(variable, "mg", self._name)
            self._zeros_slot(variable, "momentum", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._setting(self._learning_rate, "learning_rate")
        self._decay_tensor = self._setting(self._decay, "decay")
        self._momentum_tensor = self._setting(self._momentum, "momentum")
        self._epsilon_tensor = self._setting(self._epsilon, "epsilon")

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        settings = (
            self._learning_rate_tensor,
            self._decay_tensor,
            self._momentum_tensor,
            self._epsilon_tensor,
        )
        slots = [self.get_slot(var, "rms"), self.get_slot(var, "momentum")]
        update = training_ops.apply_rms_prop
        if self._centered:
            slots.insert(0, self.get_slot(var, "mg"))
            update = training_ops.apply_centered_rms_prop
        return update(
            var,
            *slots,
            *(self._cast_to(setting, var) for setting in settings),
            grad,
            indices=indices,
            use_locking=self._use_locking,
        )

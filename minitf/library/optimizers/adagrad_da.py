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
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Optimizer, Rule
from minitf.core.variables.variables import Variable
from minitf.library.optimizers.adagrad import check_positive


@update(
    "ApplyAdagradDA",
    "var gradient_accumulator gradient_squared_accumulator",
    "grad lr l1 l2 global_step:int64",
)
def apply_adagrad_da(xp, w, total, squares, g, lr, l1, l2, step):
    """Adagrad by dual averaging: var is where all gradients since the start would have led."""
    total += g
    squares += g * g
    step = xp.positive(step, dtype=w.dtype)  # an int64 would make float64 of all
    shrunk = xp.copysign(xp.maximum(xp.absolute(total) - l1 * step, 0), total) if l1 > 0 else total
    w[...] = shrunk
    w *= -lr
    w /= xp.sqrt(squares) + l2 * step * lr


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

    _learning_rate_tensor: Tensor

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
        start = initial_gradient_squared_accumulator_value
        check_positive("initial_gradient_squared_accumulator_value", start)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step
        self._rule = Rule(
            apply_adagrad_da,
            settings=("learning_rate",),
            slots={"gradient_accumulator": 0.0, "gradient_squared_accumulator": start},
            constants=True,
        )

    def _prepare(self) -> None:
        super()._prepare()
        with stacks.colocate_with(self._learning_rate_tensor):
            self._step_of_update = identity(self._global_step) + 1

    def _rule_rates(self, var: Variable) -> list[Any]:
        with stacks.device(var.device):
            step = identity(self._step_of_update)
        dtype = var.dtype.base_dtype
        l1 = constant(self._l1_regularization_strength, dtype, name="Cast/x")
        l2 = constant(self._l2_regularization_strength, dtype, name="Cast_1/x")
        return [*super()._rule_rates(var), l1, l2, step]

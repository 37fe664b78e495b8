"""Adam: momentum and a step size for each element, both corrected for their start at zero.

    m   <- beta1 * m + (1 - beta1) * gradient
    v   <- beta2 * v + (1 - beta2) * gradient^2
    lr  =  learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t)
    var <- var - lr * m / (sqrt(v) + epsilon)

The powers beta1^t and beta2^t are variables of the optimizer, next to the first variable by name.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph import Operation
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.ops import control as control_ops
from minitf.core.ops import state as state_ops
from minitf.core.ops import updates as training_ops
from minitf.core.ops.math import sqrt
from minitf.core.ops.scatter import scatter_add
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable


class AdamOptimizer(Optimizer):
    """The Adam algorithm (Kingma and Ba, 2014), as written just before its section 2.1.

    `epsilon` here is the "epsilon hat" of the paper.

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      beta1: how slowly the first moment forgets.
      beta2: how slowly the second moment forgets.
      epsilon: keeps the division from zero.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slots (`W/Adam`, `W/Adam_1`).
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _beta_powers(self) -> tuple[Any, Any]:
        return (
            self._get_non_slot_variable("beta1_power"),
            self._get_non_slot_variable("beta2_power"),
        )

    def _create_slots(self, var_list: list[Variable]) -> None:
        # The first by name: every worker chooses the same parameter server.
        first = min(var_list, key=lambda variable: variable.name)
        self._create_non_slot_variable(self._beta1, "beta1_power", first)
        self._create_non_slot_variable(self._beta2, "beta2_power", first)
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _prepare(self) -> None:
        self._lr_t = self._setting(self._lr, "learning_rate")
        self._beta1_t = self._setting(self._beta1, "beta1")
        self._beta2_t = self._setting(self._beta2, "beta2")
        self._epsilon_t = self._setting(self._epsilon, "epsilon")

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        beta1_power, beta2_power = self._beta_powers()
        return training_ops.apply_adam(
            var,
            self.get_slot(var, "m"),
            self.get_slot(var, "v"),
            self._cast_to(beta1_power, var),
            self._cast_to(beta2_power, var),
            self._cast_to(self._lr_t, var),
            self._cast_to(self._beta1_t, var),
            self._cast_to(self._beta2_t, var),
            self._cast_to(self._epsilon_t, var),
            grad,
            use_locking=self._use_locking,
        )

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        """Rows without a gradient move too: their moments fade as all others do."""
        beta1_power, beta2_power = (self._cast_to(p, var) for p in self._beta_powers())
        beta1, beta2 = self._cast_to(self._beta1_t, var), self._cast_to(self._beta2_t, var)
        rate = self._cast_to(self._lr_t, var) * sqrt(1 - beta2_power) / (1 - beta1_power)
        m = self._follow_rows(var, "m", beta1, grad.values * (1 - beta1), grad.indices)
        v = self._follow_rows(
            var, "v", beta2, (grad.values * grad.values) * (1 - beta2), grad.indices
        )
        root = sqrt(v)
        step = rate * m / (root + self._cast_to(self._epsilon_t, var))
        moved = state_ops.assign_sub(var, step, use_locking=self._use_locking)
        return control_ops.group(moved, m, v)

    def _follow_rows(self, var: Variable, slot: str, beta: Any, rows: Any, indices: Any) -> Any:
        """slot = beta * slot, and `rows` added at `indices`."""
        moment: Any = self.get_slot(var, slot)
        faded = state_ops.assign(moment, moment * beta, use_locking=self._use_locking)
        with stacks.control_dependencies([faded]):
            return scatter_add(moment, indices, rows, use_locking=self._use_locking)

    def _finish(self, update_ops: list, name_scope: str) -> Operation:
        beta1_power, beta2_power = self._beta_powers()
        with stacks.control_dependencies(update_ops), stacks.colocate_with(beta1_power.op):
            powers = [
                beta1_power.assign(beta1_power * self._beta1_t, use_locking=self._use_locking),
                beta2_power.assign(beta2_power * self._beta2_t, use_locking=self._use_locking),
            ]
        return control_ops.group(*update_ops, *powers, name=name_scope)

"""The optimizers of the core: gradient descent, momentum and Adam."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.tensor import TensorLike
from minitf.core.ops import control as control_ops
from minitf.core.ops import state as state_ops
from minitf.core.ops.math import sqrt
from minitf.core.ops.updates import apply_adam, apply_gradient_descent, apply_momentum
from minitf.core.train.optimizer import Optimizer, Rule
from minitf.core.variables.variables import Variable


class GradientDescentOptimizer(Optimizer):
    """Steps of `learning_rate` times the gradient.

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates.

    Example:
      >>> loss = tf.square(tf.Variable(3.0))
      >>> train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    """

    def __init__(
        self, learning_rate: TensorLike, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._rule = Rule(apply_gradient_descent, ("learning_rate",))

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        (rate,) = self._rule_rates(var)
        delta = IndexedSlices(grad.values * rate, grad.indices, grad.dense_shape)
        return self._operation(var.scatter_sub(delta, use_locking=self._use_locking))


# ---- momentum ----------------------------------------------------------------------------
#
# Momentum: gradients accumulate into a velocity, which moves the variable.
#
# accumulation <- momentum * accumulation + gradient
# var          <- var - learning_rate * accumulation


class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum (Polyak, 1964).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      momentum: how much of the accumulation is kept from one step to the next; the same kinds.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slot (`W/Momentum`).
      use_nesterov: look ahead along the accumulation (Sutskever and others, 2013).
    Example:
      >>> x = tf.Variable(4.0)
      >>> step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.square(x))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(step)
      >>> sess.run(x).round(3)
      3.2
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        momentum: TensorLike,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov
        self._rule = Rule(
            apply_momentum,
            settings=("learning_rate", "momentum"),
            slots={"momentum": 0.0},
            attrs={"use_nesterov": use_nesterov},
        )


# ---- adam --------------------------------------------------------------------------------
#
# Adam: averages of the gradient and of its square, both corrected for their start at zero.
#
#     m   <- beta1 * m + (1 - beta1) * gradient
#     v   <- beta2 * v + (1 - beta2) * gradient^2
#     lr  =  learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t)
#     var <- var - lr * m / (sqrt(v) + epsilon)
#
# The powers beta1^t and beta2^t are variables, too. The optimizer has one of each, on the device of
# the variable whose name comes first.


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
    Example:
      >>> x = tf.Variable(4.0)
      >>> step = tf.train.AdamOptimizer(0.1).minimize(tf.square(x))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(step)
      >>> sess.run(x).round(3)
      3.9
    """

    _powers: tuple[str, ...] = ("beta1", "beta2")  # of which the powers are variables
    _beta1_t: Tensor
    _beta2_t: Tensor

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        beta1: TensorLike = 0.9,
        beta2: TensorLike = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._rule = Rule(
            apply_adam,
            settings=("lr", "beta1", "beta2", "epsilon"),
            slots={"m": 0.0, "v": 0.0},
            names={"lr": "learning_rate"},
            suffix="_t",
        )

    def _get_beta_accumulators(self) -> tuple[Any, ...]:
        return tuple(self._get_non_slot_variable(f"{each}_power") for each in self._powers)

    def _create_slots(self, var_list: list[Variable]) -> None:
        # The first by name, so that every worker chooses the same parameter server.
        first = min(var_list, key=lambda variable: variable.name)
        for each in self._powers:
            self._create_non_slot_variable(getattr(self, f"_{each}"), f"{each}_power", first)
        super()._create_slots(var_list)

    def _rule_rates(self, var: Variable) -> list[Any]:
        powers = [self._cast_to(power, var) for power in self._get_beta_accumulators()]
        return [*powers, *super()._rule_rates(var)]

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        """Updates the whole variable: the moments of rows without a gradient fade as well."""
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._rule_rates(var)
        rate = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
        m = self._follow_rows(var, "m", beta1, grad.values * (1 - beta1), grad.indices)
        v = self._follow_rows(
            var, "v", beta2, (grad.values * grad.values) * (1 - beta2), grad.indices
        )
        step = rate * m / (sqrt(v) + epsilon)
        moved = state_ops.assign_sub(var, step, use_locking=self._use_locking)
        return control_ops.group(moved, m, v)

    def _follow_rows(self, var: Variable, slot: str, beta: Any, rows: Any, indices: Any) -> Any:
        """slot = beta * slot, and `rows` added at `indices`."""
        moment: Any = self.get_slot(var, slot)
        faded = state_ops.assign(moment, moment * beta, use_locking=self._use_locking)
        with stacks.control_dependencies([faded]):
            return state_ops.scatter_add(moment, indices, rows, use_locking=self._use_locking)

    def _finish(self, update_ops: list, name_scope: str) -> Operation:
        kept = self._get_beta_accumulators()
        with stacks.control_dependencies(update_ops), stacks.colocate_with(kept[0].op):
            powers = [
                power.assign(power * getattr(self, f"_{each}_t"), use_locking=self._use_locking)
                for power, each in zip(kept, self._powers, strict=True)
            ]
        return control_ops.group(*update_ops, *powers, name=name_scope)

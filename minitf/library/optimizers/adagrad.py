"""Adagrad: a step size for each element, smaller the larger its gradients have been.

accumulator <- accumulator + gradient^2
var         <- var - learning_rate * gradient / sqrt(accumulator)
"""

from __future__ import annotations

from minitf.core.graph.likes import TensorLike
from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Optimizer, Rule


@update("ApplyAdagrad", "var accum", "lr grad", compiled="updates")
def apply_adagrad(xp, w, a, g, lr, *, update_slots=True):
    """accum += grad**2; var -= lr * grad / sqrt(accum)."""
    if update_slots:
        a += g * g
    w -= lr * (g / xp.sqrt(a))


def check_positive(name: str, value: float) -> None:
    """Raises a ValueError unless a slot starts above zero."""
    if value <= 0.0:
        raise ValueError(f"{name} must be positive: {value}")


class AdagradOptimizer(Optimizer):
    """The Adagrad algorithm (Duchi, Hazan and Singer, 2011).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      initial_accumulator_value: where the accumulators start; positive.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slot (`W/Adagrad`).

    Raises:
      ValueError: when `initial_accumulator_value` is not positive.
    Example:
      >>> x = tf.Variable(4.0)
      >>> step = tf.train.AdagradOptimizer(0.1).minimize(tf.square(x))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(step)
      >>> sess.run(x).round(3)
      3.9
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._rule = Rule(
            apply_adagrad,
            settings=("learning_rate",),
            slots={"accumulator": initial_accumulator_value},
        )

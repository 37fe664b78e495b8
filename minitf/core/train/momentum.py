"""Momentum: gradients accumulate into a velocity, which moves the variable.

accumulation <- momentum * accumulation + gradient
var          <- var - learning_rate * accumulation
"""

from __future__ import annotations

from minitf.core.graph.likes import TensorLike
from minitf.core.ops.updates import apply_momentum
from minitf.core.train.optimizer import Optimizer, Rule


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

"""Gradient descent: a step against the gradient.

var <- var - learning_rate * gradient
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.graph.likes import TensorLike
from minitf.core.ops.updates import apply_gradient_descent
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

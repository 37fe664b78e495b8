"""Gradient descent: a step against the gradient.

var <- var - learning_rate * gradient
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.ops import updates as training_ops
from minitf.core.train.optimizer import Optimizer
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
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._setting(self._learning_rate, "learning_rate")

    def _fused(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        return training_ops.apply_gradient_descent(
            var,
            self._cast_to(self._learning_rate_tensor, var),
            grad,
            use_locking=self._use_locking,
        )

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        step = grad.values * self._cast_to(self._learning_rate_tensor, var)
        delta = IndexedSlices(step, grad.indices, grad.dense_shape)
        return self._operation(var.scatter_sub(delta, use_locking=self._use_locking))

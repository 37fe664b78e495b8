"""Batch normalization: the layer of Keras, in `tf.layers`."""

from __future__ import annotations

from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.variables.initializers import Ones, Zeros
from minitf.library.keras.layers import normalization
from minitf.library.layers.base import Layer
from minitf.library.layers.utils import of_keras

_ZEROS, _ONES = Zeros(), Ones()


@of_keras(
    beta_initializer=_ZEROS,
    gamma_initializer=_ONES,
    moving_mean_initializer=_ZEROS,
    moving_variance_initializer=_ONES,
)
class BatchNormalization(normalization.BatchNormalization, Layer):
    """Normalizes by the batch while training; see `tf.keras.layers.BatchNormalization`.

    The updates of the averages are in `GraphKeys.UPDATE_OPS`; the training step must run them:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = optimizer.minimize(loss)
    """

    def add_weight(self, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable; what is not trained stays whole where the others are partitioned."""
        if kwargs.get("trainable") is not False or self._scope is None:
            return super().add_weight(*args, **kwargs)
        split = self._scope.partitioner
        self._scope.set_partitioner(None)
        try:
            return super().add_weight(*args, **kwargs)
        finally:
            self._scope.set_partitioner(split)

    def call(self, inputs: Tensor, training: Any = False) -> Tensor:
        """Adds the operations."""
        return super().call(inputs, training=training)


def batch_normalization(
    inputs: Any,
    axis: Any = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = _ZEROS,
    gamma_initializer: Any = _ONES,
    moving_mean_initializer: Any = _ZEROS,
    moving_variance_initializer: Any = _ONES,
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: bool = False,
    fused: bool | None = None,
) -> Tensor:
    """Normalizes each feature over the batch; see `BatchNormalization`.

    Args:
      inputs: a float tensor.
      training: a bool, or a bool scalar tensor: whether to normalize by the batch.
      reuse: whether to take the variables of the layer of that name.

    The other arguments are those of `BatchNormalization`.
    """
    options = dict(locals())  # the layer's, but for three
    inputs, training, reuse = (options.pop(each) for each in ("inputs", "training", "reuse"))
    return BatchNormalization(**options, _scope=name, _reuse=reuse)(inputs, training=training)

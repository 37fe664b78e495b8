"""The names of `tf.contrib.layers.utils`."""

from minitf.core.gradients.cond import smart_constant_value as constant_value

__all__ = [
    "constant_value"
]

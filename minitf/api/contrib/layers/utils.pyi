"""The names of `tf.contrib.layers.utils`."""

from minitf.library.graph_tools.branches import smart_constant_value as constant_value

__all__ = [
    "constant_value"
]

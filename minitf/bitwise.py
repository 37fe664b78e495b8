"""The namespace `tf.bitwise`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.comparisons: bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
""",
)

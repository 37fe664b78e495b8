"""The names of `tf.bitwise`."""

from minitf.core.ops.comparisons import bitwise_and as bitwise_and
from minitf.core.ops.comparisons import bitwise_or as bitwise_or
from minitf.core.ops.comparisons import bitwise_xor as bitwise_xor
from minitf.core.ops.comparisons import invert as invert
from minitf.core.ops.comparisons import left_shift as left_shift
from minitf.core.ops.comparisons import right_shift as right_shift

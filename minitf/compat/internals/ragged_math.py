"""`ragged_math_ops.segment_sum(data, segment_ids, num_segments)` and its kin, which are ragged too.

Beside `tf.segment_sum` they do not ask that segments be sorted: the unsorted ones do the same.
"""

from minitf.core.ops.segments import unsorted_segment_max as segment_max
from minitf.core.ops.segments import unsorted_segment_mean as segment_mean
from minitf.core.ops.segments import unsorted_segment_min as segment_min
from minitf.core.ops.segments import unsorted_segment_prod as segment_prod
from minitf.core.ops.segments import unsorted_segment_sqrt_n as segment_sqrt_n
from minitf.core.ops.segments import unsorted_segment_sum as segment_sum

__all__ = [
    "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sqrt_n", "segment_sum"
]  # fmt: skip

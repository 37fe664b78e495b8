"""Summaries of tensors and of whole collections of them, as `tf.contrib.layers` makes them."""

from __future__ import annotations

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, less_equal
from minitf.core.ops.reductions import reduce_mean
from minitf.library.summary import summary


def summarize_activation(op: Tensor) -> Tensor:
    """A histogram of what a layer gives; of a relu also how much of it is 0 (or 6)."""
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        zeros = reduce_mean(cast(less_equal(op, cast(0, op.dtype)), dtypes.float32))
        summary.scalar(f"{op.op.name}/zeros", zeros)
    if op.op.type == "Relu6":
        sixes = reduce_mean(cast(greater(op, cast(6, op.dtype)), dtypes.float32))
        summary.scalar(f"{op.op.name}/sixes", sixes)
    return summary.histogram(f"{op.op.name}/activation", op)

"""The operation that shows where one's own go: `tf.user_ops.my_fact`."""

from __future__ import annotations

from typing import Any

from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.tensor import Tensor


@op("Fact", "-> fact: string", differentiable=False, samples=[lambda rng: ({},)])
def fact_op(xp: Any) -> Any:
    """Gives a fact about factorials."""
    return b"0! == 1"


fact_op.shape(scalar_shape)


def my_fact() -> Tensor:
    """A fact about factorials, as a string."""
    return fact_op()

"""`ReduceOp`: how the values of the replicas become one."""

from __future__ import annotations

import enum

from minitf.core.variables.variable_def import VariableAggregation


class ReduceOp(enum.Enum):
    """How the values of several replicas become one: their sum, or their mean."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def of(reduce_op: ReduceOp | str) -> ReduceOp:
        """A reduction by its name in any case, or itself."""
        return ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that updates of such a variable take.

        Raises:
          ValueError: when they take none.
        """
        if aggregation not in (VariableAggregation.SUM, VariableAggregation.MEAN):
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to"
                "`tf.distribute.ReduceOp` type"
            )
        return ReduceOp[aggregation.name]

"""`tensorflow.python.ops.control_flow_util`: which kind of control flow a graph gets.

Branches and loops are functions here whatever these say; programs ask in order to know what
version 1.15 does by itself.
"""

from __future__ import annotations

from typing import Any

ENABLE_CONTROL_FLOW_V2 = False


def EnableControlFlowV2(graph: Any) -> bool:
    """Whether a graph's control flow is that of version 2."""
    return ENABLE_CONTROL_FLOW_V2


def GetContainingXLAContext(ctxt: Any) -> None:
    """The XLA context around a context: none."""


def IsInXLAContext(op: Any) -> bool:
    """Whether XLA compiles an operation: never."""
    return False


def GraphOrParentsInXlaContext(graph: Any) -> bool:
    """Whether XLA compiles a graph: never."""
    return False

"""Passes: rewrites of one partition before it is emitted.

    nodes ──> fold constants ──> common subexpressions ──> ... ──> nodes ──> schedule, emit

A pass is a function from a list of nodes to a list of nodes. In both lists each node follows all
that it reads or waits for. A pass may change the `inputs` and `controls` of a node, and replace
nodes; it keeps all effects and the values that are fetched, sent and assigned. `sess.explain` shows
the changes of each pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from minitf.core.runtime.passes.cleanups import (
    common_subexpressions,
    fold_constants,
    forward_values,
    prune_control_edges,
)
from minitf.core.runtime.plan.subgraph import Node

Pass = Callable[[Sequence[Node]], list[Node]]

#: In the order in which they run. Those of minitf/fast follow.
PASSES: list[Pass] = [prune_control_edges, forward_values, fold_constants, common_subexpressions]


def register(rewrite: Pass, before: Pass | None = None) -> None:
    """Adds a pass before another, or at the end, unless the list has it already."""
    if rewrite not in PASSES:
        PASSES.insert(len(PASSES) if before is None else PASSES.index(before), rewrite)


@contextmanager
def using(passes: Sequence[Pass]) -> Iterator[None]:
    """A context in which new plans run these passes only.

    A session keeps its plans, so open one inside.

    Args:
      passes: functions from a list of nodes to a list of nodes, in their order.

    Example:
      >>> with tf.passes.using([tf.passes.fold_constants]), tf.Session() as session:
      ...     print(session.run(tf.constant(2.0) * 3.0))
      6.0
    """
    before = PASSES[:]
    PASSES[:] = passes
    try:
        yield
    finally:
        PASSES[:] = before


def optimize(nodes: Sequence[Node], passes: Sequence[Pass] = PASSES) -> list[Node]:
    """Runs the passes over the nodes of one device, or of one function."""
    for rewrite in passes:
        nodes = rewrite(nodes)
    return list(nodes)

"""The optimizing half of a plan: rewrites of one partition, one file each, before it is emitted.

    nodes in order ──> fold constants ──> merge twins ──> ... ──> nodes in order ──> emit

A pass is a function from nodes, each after all it reads or waits for, to nodes in such an order. It
may change `inputs` and `controls` of a node, and put new nodes in place of old ones; it keeps the
values that are fetched, sent and assigned, and every effect. `sess.explain` shows what each did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minitf.runtime.passes.drop_idle_waits import drop_idle_waits
from minitf.runtime.passes.fold_constants import fold_constants
from minitf.runtime.passes.lstm_cell import lstm_cell
from minitf.runtime.passes.merge_twins import merge_twins
from minitf.runtime.passes.simplify import simplify
from minitf.runtime.passes.update_early import update_early
from minitf.runtime.subgraph import Node

Pass = Callable[[Sequence[Node]], list[Node]]

#: In the order in which they run.
PASSES: tuple[Pass, ...] = (
    drop_idle_waits,
    fold_constants,
    merge_twins,
    lstm_cell,
    simplify,
    fold_constants,
    update_early,
)


def optimize(nodes: Sequence[Node], passes: Sequence[Pass] = PASSES) -> list[Node]:
    """Runs the passes over the nodes of one device, or of one function."""
    for rewrite in passes:
        nodes = rewrite(nodes)
    return list(nodes)

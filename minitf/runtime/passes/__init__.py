"""The optimizing half of a plan: rewrites of one partition, one file each, before it is emitted.

    nodes in order ──> fold constants ──> merge twins ──> ... ──> nodes in order ──> emit

A pass is a function from nodes, each after all it reads or waits for, to nodes in such an order. It
may change `inputs` and `controls` of a node, and put new nodes in place of old ones; it keeps the
values that are fetched, sent and assigned, and every effect. `sess.explain` shows what each did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minitf.runtime.passes.constants_by_columns import constants_by_columns
from minitf.runtime.passes.drop_idle_waits import drop_idle_waits
from minitf.runtime.passes.fold_constants import fold_constants
from minitf.runtime.passes.fuse_elementwise import fuse_elementwise
from minitf.runtime.passes.lstm_cell import lstm_cell
from minitf.runtime.passes.merge_twins import merge_twins
from minitf.runtime.passes.pass_through import pass_through
from minitf.runtime.passes.pool_first import pool_first
from minitf.runtime.passes.pool_with_conv import pool_with_conv
from minitf.runtime.passes.running_sums import running_sums
from minitf.runtime.passes.simplify import simplify
from minitf.runtime.passes.split_products import split_products
from minitf.runtime.passes.update_early import update_early
from minitf.runtime.passes.update_into_product import update_into_product
from minitf.runtime.subgraph import Node

Pass = Callable[[Sequence[Node]], list[Node]]

#: In the order in which they run.
PASSES: tuple[Pass, ...] = (
    drop_idle_waits,
    pass_through,
    fold_constants,
    merge_twins,
    lstm_cell,
    split_products,
    running_sums,
    simplify,
    fold_constants,
    pool_first,
    pool_with_conv,
    update_early,
    update_into_product,
    fuse_elementwise,
    constants_by_columns,
)


def optimize(nodes: Sequence[Node], passes: Sequence[Pass] = PASSES) -> list[Node]:
    """Runs the passes over the nodes of one device, or of one function."""
    for rewrite in passes:
        nodes = rewrite(nodes)
    return list(nodes)

"""The optimizing half of a plan: rewrites of one partition, one file each, before it is emitted.

    nodes ──> fold constants ──> common subexpressions ──> ... ──> nodes ──> schedule, emit

A pass is a function from a list of nodes to a list of nodes. In both lists each node stands after
all that it reads or waits for. A pass may change `inputs` and `controls` of a node, and put new
nodes in place of old ones; it keeps the values that are fetched, sent and assigned, and every
effect. `sess.explain` shows what each pass did.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from minitf.core.runtime.passes.cleanups import (
    common_subexpressions,
    fold_constants,
    forward_values,
    prune_control_edges,
)
from minitf.core.runtime.passes.fuse_elementwise import fuse_elementwise
from minitf.core.runtime.passes.simplify import simplify
from minitf.core.runtime.plan.subgraph import Node

Pass = Callable[[Sequence[Node]], list[Node]]

#: In the order in which they run. Those of minitf/fast join them by `register`.
PASSES: list[Pass] = [
    prune_control_edges,
    forward_values,
    fold_constants,
    common_subexpressions,
    simplify,
    fold_constants,
    fuse_elementwise,
]


def register(rewrite: Pass, before: Pass | None = None) -> None:
    """Adds a pass before another, or at the end; does nothing when it is there already."""
    if rewrite not in PASSES:
        PASSES.insert(len(PASSES) if before is None else PASSES.index(before), rewrite)


class LatePass:
    """A pass whose module is imported when a plan first has a node of one of some types.

    Args:
      module: the module, in which the pass has the module's own name.
      types: of the nodes without which it has nothing to do.
    """

    def __init__(self, module: str, types: Sequence[str]) -> None:
        self.__module__, self._types = module, frozenset(types)
        self.__name__ = module.rpartition(".")[2]

    @cached_property
    def rewrite(self) -> Pass:
        """The pass itself, imported now if it was not."""
        return getattr(importlib.import_module(self.__module__), self.__name__)

    def __call__(self, nodes: Sequence[Node]) -> list[Node]:
        if self._types.isdisjoint(node.type for node in nodes):
            return list(nodes)
        return self.rewrite(nodes)

    def __getattribute__(self, name: str) -> Any:
        return self.rewrite.__doc__ if name == "__doc__" else super().__getattribute__(name)


@contextmanager
def using(passes: Sequence[Pass]) -> Iterator[None]:
    """Lets plans that are made meanwhile run these passes, in place of all that there are.

    A session keeps the plans that it has made, so open one inside.

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

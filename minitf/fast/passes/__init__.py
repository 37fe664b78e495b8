"""The passes that make programs faster: fused chains, cells, pooled convolutions, early updates.

Those that look for nodes of a few types are imported when a plan first has one.
"""

import importlib
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

from minitf.core.graph.op_def import add_source
from minitf.core.runtime.passes import PASSES, Pass
from minitf.core.runtime.passes.cleanups import fold_constants
from minitf.core.runtime.plan.subgraph import Node
from minitf.fast.passes.fuse_elementwise import fuse_elementwise
from minitf.fast.passes.simplify import simplify


class LatePass:
    """A pass whose module is imported when a plan first has a node of one of some types.

    Args:
      name: of the pass, and of its module.
      types: of the nodes without which it has nothing to do.
    """

    def __init__(self, name: str, *types: str) -> None:
        self.__name__, self.__module__ = name, f"{__name__}.{name}"
        self._types = frozenset(types)
        add_source(partial(getattr, self, "rewrite"))  # most declare operations

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


PASSES += [
    LatePass("lstm_cell", "Split", "TanhGrad"),
    LatePass("split_products", "Split", "SplitV"),
    LatePass("running_sums", "AddN"),
    simplify,
    fold_constants,
    LatePass("pool_first", "MaxPool"),
    LatePass("pool_with_conv", "MaxPool"),
    LatePass("update_early", "VariableV2"),
    LatePass("update_into_product", "ApplyGradientDescent"),
    fuse_elementwise,
    LatePass("constants_by_columns", "MatMul"),
]

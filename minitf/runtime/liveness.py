"""Which buffers of a program may be written over: who shares memory with whom, and until when.

A value is *fresh* when its node made it anew in this run: not a constant, not fed, not a variable, not a
view. A fresh buffer may be reused once nothing reads it, or a view of it, any more.
"""

from __future__ import annotations

from collections.abc import Sequence

from minitf.runtime.subgraph import Node

Value = tuple[Node, int]
_NEVER_FRESH = ("Const", "_Arg", "VariableV2")
_FOREVER = 1 << 60


class Liveness:
    """Answers about the values of one scheduled partition.

    Args:
      order: the nodes, in the order they run.
    """

    def __init__(self, order: Sequence[Node]) -> None:
        self._roots: dict[Value, frozenset[Value]] = {}
        self._last_use: dict[Value, int] = {}  # by root: the position of the last reader
        for position, node in enumerate(order):
            reaches = _FOREVER if node.type in ("_Retval", "_Send") else position
            inputs: frozenset[Value] = frozenset()
            for source in node.inputs:
                roots = self._roots[source]
                inputs |= roots
                for root in roots:
                    self._last_use[root] = max(self._last_use.get(root, 0), reaches)
            for index in range(len(node.dtypes)):
                value = (node, index)
                own = frozenset([value])
                # what an update returns is the variable itself, so its root is the variable's
                shares = node.op_def.alias or node.dtypes[index]._is_ref_dtype
                self._roots[value] = (inputs or own) if shares else own

    def dies_at(self, value: Value, position: int) -> bool:
        """Whether nothing reads the memory of `value` after the node at `position`."""
        return all(self._last_use.get(root, position) <= position for root in self._roots[value])

    def is_fresh(self, value: Value) -> bool:
        """Whether the value's buffer was made in this run, for this value alone."""
        node, index = value
        return (
            self._roots[value] == {value}
            and node.type not in _NEVER_FRESH
            and not node.dtypes[index]._is_ref_dtype
        )

    def is_private(self, value: Value) -> bool:
        """Whether the value shares no memory with constants, feeds or variables."""
        return all(self.is_fresh(root) for root in self._roots[value])

    def readers_left(self, variable: Value, position: int) -> bool:
        """Whether something that shares the variable's memory is read after `position`."""
        return any(
            root == variable and self._last_use.get(root, 0) > position
            for root in self._roots[variable]
        ) or any(
            variable in roots and value != variable and self._last_use_of(value) > position
            for value, roots in self._roots.items()
            if not value[0].dtypes[value[1]]._is_ref_dtype
        )

    def _last_use_of(self, value: Value) -> int:
        return max(self._last_use.get(root, 0) for root in self._roots[value])

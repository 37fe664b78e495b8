"""Which buffers of a program may be written over: who shares memory with whom, and until when.

A value is *fresh* when its node made it anew in this run: not a constant, not fed, not a variable,
not a view. A fresh buffer may be reused once nothing reads it, or a view of it, any more; who asks
for its shape alone is answered by what has been written over it.
"""

from __future__ import annotations

from collections.abc import Sequence

from minitf.core.runtime.plan.subgraph import Node

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
        self._last_look: dict[Value, int] = {}  # the same, of those who ask for more than the shape
        self._sharers: dict[Value, list[Value]] = {}
        self._snapshot_use: dict[Value, int] = {}  # the same, of readers that took `.value` before
        for position, node in enumerate(order):
            reaches = _FOREVER if node.type in ("_Retval", "_Send") else position
            inputs: frozenset[Value] = frozenset()
            references: frozenset[Value] = frozenset()
            asks_shape = node.op_def.shape_input
            for place, source in enumerate(node.inputs):
                roots = self._roots[source]
                if place != asks_shape:
                    inputs |= roots
                    for root in roots:
                        self._last_look[root] = max(self._last_look.get(root, 0), reaches)
                refers = source[0].dtypes[source[1]]._is_ref_dtype
                references |= roots if refers else frozenset()
                snapshot = node.type == "_Send" or not refers
                for root in roots:
                    self._last_use[root] = max(self._last_use.get(root, 0), reaches)
                    if snapshot:
                        self._snapshot_use[root] = max(self._snapshot_use.get(root, 0), reaches)
            for index in range(len(node.dtypes)):
                value = (node, index)
                own = frozenset([value])
                # what an update returns is the variable itself, whose memory is not the new value's
                refers = node.dtypes[index]._is_ref_dtype
                memory = references if refers else inputs
                self._roots[value] = (memory or own) if refers or node.op_def.alias else own
                if len(self._roots[value]) == 1:
                    self._sharers.setdefault(next(iter(self._roots[value])), []).append(value)

    def dies_at(self, value: Value, position: int) -> bool:
        """Whether nothing reads the memory of `value` after the node at `position`."""
        return all(self._last_look.get(root, position) <= position for root in self._roots[value])

    def is_fresh(self, value: Value) -> bool:
        """Whether the value's buffer was made in this run, for this value alone."""
        node, index = value
        return (
            self._roots[value] == {value}
            and node.type not in _NEVER_FRESH
            and not node.dtypes[index]._is_ref_dtype
        )

    def dying_at(self, position: int, group: Sequence[Node]) -> list[Value]:
        """The fresh buffers that the nodes of `group`, at `position`, are the last to read."""
        read = {root for node in group for value in node.inputs for root in self._roots[value]}
        return [
            root
            for root in sorted(read, key=lambda r: (r[0].name, r[1]))
            if self._last_use.get(root) == position and self.is_fresh(root)
        ]

    def sharing(self, root: Value) -> list[Value]:
        """The values whose only memory is the buffer `root`."""
        return self._sharers.get(root, [])

    def is_private(self, value: Value) -> bool:
        """Whether the value shares no memory with constants, feeds or variables."""
        return all(self.is_fresh(root) for root in self._roots[value])

    def snapshots_of(self, variable: Value) -> list[Value]:
        """The values that share the memory of the variable: what was read from it, and views."""
        return [value for root in self._roots[variable] for value in self.sharing(root)]

    def variable_is_read_after(self, variable: Value, position: int) -> bool:
        """Whether a snapshot of the variable (as 'W/read') is used after the node at `position`."""
        return any(self._snapshot_use.get(root, -1) > position for root in self._roots[variable])

"""Chooses the buffers that a program reuses: inputs for results, variables for new values.

    add = b + c                       add is read here for the last time, and has the result's
    out = multiply(add, d, out=add)   type and shape: the product is written into its memory

This file chooses the buffer; the emitter writes the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from minitf.core.runtime.passes.sizes import Sizes
from minitf.core.runtime.plan.subgraph import Node, group_of

# ---- liveness ----------------------------------------------------------------------------
#
# Which values share memory, and how long each buffer is read.
#
# A value is *fresh* when its node allocated it in this run: it is no constant, feed, variable or
# view. A fresh buffer may be reused once no node reads it, or a view of it, again. A node that
# reads only the shape may still do so.

Value = tuple[Node, int]
_NEVER_FRESH = ("Const", "_Arg", "VariableV2")
_FOREVER = 1 << 60


class Liveness:
    """The lifetimes of the values of one scheduled partition.

    Args:
      order: the nodes, in the order in which they run.
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
        """Whether no node reads the memory of `value` after the node at `position`."""
        return all(self._last_look.get(root, position) <= position for root in self._roots[value])

    def is_fresh(self, value: Value) -> bool:
        """Whether the value's buffer was allocated in this run, for this value alone."""
        node, index = value
        return (
            self._roots[value] == {value}
            and node.type not in _NEVER_FRESH
            and not node.dtypes[index]._is_ref_dtype
        )

    def dying_at(self, position: int, group: Sequence[Node]) -> list[Value]:
        """Returns the fresh buffers whose last readers are the nodes of `group`, at `position`."""
        read = {root for node in group for value in node.inputs for root in self._roots[value]}
        return [
            root
            for root in sorted(read, key=lambda r: (r[0].name, r[1]))
            if self._last_use.get(root) == position and self.is_fresh(root)
        ]

    def sharing(self, root: Value) -> list[Value]:
        """Returns the values whose only memory is the buffer `root`."""
        return self._sharers.get(root, [])

    def is_private(self, value: Value) -> bool:
        """Whether the value shares no memory with constants, feeds or variables."""
        return all(self.is_fresh(root) for root in self._roots[value])

    def snapshots_of(self, variable: Value) -> list[Value]:
        """Returns the values that share the memory of the variable: reads of it, and views."""
        return [value for root in self._roots[variable] for value in self.sharing(root)]

    def variable_is_read_after(self, variable: Value, position: int) -> bool:
        """Whether a snapshot of the variable (as 'W/read') is used after the node at `position`."""
        return any(self._snapshot_use.get(root, -1) > position for root in self._roots[variable])


# ---- buffers ------------------------------------------------------------------------------


class Reuse(NamedTuple):
    """A buffer for a result.

    Attributes:
      value: the value whose buffer it is.
      if_like: inputs that must have its shape; the program asks for that when it runs.
      may_be_one: whether it may have one element. NumPy takes twice as long to write over that.
    """

    value: Value
    if_like: list[Value]
    may_be_one: bool


class Buffers:
    """Chooses buffers for the nodes of one block, in the order in which they run.

    Args:
      order: the nodes.
    """

    def __init__(self, order: Sequence[Node]) -> None:
        self.live = Liveness(order)
        self._order = order
        self._origins: dict[Value, Value] = {}  # value passed on unchanged -> the original value
        self._written_over: set[Value] = set()  # values whose buffers hold other values now

    @cached_property
    def sizes(self) -> Sizes:
        """The unknown sizes that are surely equal."""
        return Sizes(self._order)

    def passes_on(self, node: Node) -> None:
        """Records that a node returns its first input unchanged."""
        self._origins[node, 0] = self._origin(node.inputs[0])

    def _origin(self, value: Value) -> Value:
        return self._origins.get(value, value)

    def reusable(self, node: Node, position: int) -> Reuse | None:
        """Returns the input whose buffer the result of the node at `position` may use."""
        op_def = node.op_def
        writes = (op_def.elementwise and op_def.ufunc is not None) or op_def.takes_out
        if len(node.dtypes) != 1 or not writes or node.shapes[0].ndims in (0, None):
            return None
        may_be_one = op_def.elementwise and all(n in (1, None) for n in node.shapes[0].as_list())
        if may_be_one and node.shapes[0].is_fully_defined():
            return None
        for value in map(self._origin, node.inputs):
            source, index = value
            if (
                source.dtypes[index] == node.dtypes[0].base_dtype
                and source.shapes[index].ndims == node.shapes[0].ndims
                and self.live.is_fresh(value)
                and self.live.dies_at(value, position)
                and value not in self._written_over
            ):
                unsure = self._unsure(node, value)
                if unsure is not None:
                    self._written_over.add(value)
                    return Reuse(value, unsure, may_be_one)
        return None

    def _unsure(self, node: Node, value: Value) -> list[Value] | None:
        """Checks whether the result fits into the buffer of `value`, one of the node's inputs.

        Returns: the inputs whose shapes must be compared with it when the program runs; None when
          the result surely does not fit.
        """
        own = value[0].shapes[value[1]]
        if group_of(node) is not None:  # it looks at the shapes itself
            return [] if own.is_compatible_with(node.shapes[0]) else None
        unsure = []
        for other in map(self._origin, node.inputs):
            shape = other[0].shapes[other[1]]
            if other == value or shape.ndims == 0 or _fits_into(shape, own):
                continue
            if self.sizes.same(other, value):
                continue
            if shape.ndims != own.ndims or not shape.is_compatible_with(own):
                return None
            unsure.append(other)
        return unsure

    def is_last_reader(self, node: Node, position: int) -> bool:
        """Whether an update may overwrite its variable: no later node reads the old value."""
        groups = node.op_def.group(list(node.inputs))
        references = [
            value
            for arg, value in zip(node.op_def.inputs, groups, strict=True)
            if arg.is_ref and not arg.is_list
        ]
        return bool(references) and not any(
            self.live.variable_is_read_after(value, position) for value in references
        )

    def snapshots(self, node: Node) -> list[Value]:
        """Returns the values that were read from the variables that an update changes."""
        return [
            snapshot
            for source, index in node.inputs
            if source.dtypes[index]._is_ref_dtype
            for snapshot in self.live.snapshots_of((source, index))
        ]


def _fits_into(shape: Any, target: Any) -> bool:
    """Whether broadcasting `shape` with `target` surely gives the shape of `target`."""
    if shape.ndims is None or shape.ndims > target.ndims:
        return False
    wanted = target.as_list()[target.ndims - shape.ndims :]
    return all(
        a == 1 or (a is not None and a == b) for a, b in zip(shape.as_list(), wanted, strict=True)
    )

"""Chooses which value of a variable is read when the same step updates it.

    W ──> W/read ──> x * W/read         waits for no update: reads what W was
     └──> update ┄┄> 2 * W/read         comes after the update: reads what that has left

In TensorFlow `W/read` shares the memory of its variable, and an update writes into that memory: a
node that follows the update, by data or control dependencies, sees the new value. Here an update
may replace the memory, so such a node gets a read of its own. A node that follows no update reads
the old value; in TensorFlow it may see either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from minitf.core.graph.func_graph import FuncGraph
from minitf.core.runtime.plan.subgraph import Node, argument, reading

Value = tuple[Node, int]


def read_again(nodes: Sequence[Node], of_step: bool = True) -> list[Node]:
    """Adds a read for each node that follows an update of a variable.

    Args:
      nodes: of a step or a function, each after its dependencies; their inputs change.
      of_step: whether results are read at the end of a step, after all updates.
    """
    so_far = _SoFar()
    order: list[Node] = []
    for node in nodes:
        before = so_far.passed_by(node)
        if before:
            order += so_far.new_reads(node, before)
        order.append(node)
        so_far.add(node, before)
    if of_step:
        so_far.read_at_the_end(node for node in order if node.type == "_Retval")
    return order


class _SoFar:
    """The effects of the nodes so far on variables. Sets of updates are bits."""

    def __init__(self) -> None:
        self._variables: dict[Node, Value] = {}  # of what refers to one, or shares its memory
        self._updates: dict[Value, int] = {}  # of each variable
        self._passed: dict[Node, int] = {}  # of each node that comes after updates: those
        self._count = self._added = 0

    def passed_by(self, node: Node) -> int:
        """Returns the updates that a node follows."""
        before = 0
        if self._passed:
            for source, _ in node.inputs:
                before |= self._passed.get(source, 0)
            for source in node.controls:
                before |= self._passed.get(source, 0)
        return before

    def new_reads(self, node: Node, before: int) -> list[Node]:
        """Replaces reads from before an update that a node follows; returns the new reads."""
        found = []
        for place, (source, index) in enumerate(node.inputs):
            variable = self._variables.get(source)
            if variable is None or _is_reference(source, index):
                continue
            missed = self._updates.get(variable, 0) & before & ~self._passed.get(source, 0)
            if missed and source.device == variable[0].device:  # a cached value is a copy
                awaited = [*(each for each, _ in node.inputs), *node.controls]
                waits = [each for each in awaited if self._passed.get(each, 0) & missed]
                self._added += 1
                again = reading(variable, f"_{source.name}_{self._added}", waits, source.op)
                node.inputs[place] = (again, 0)
                self._variables[again], self._passed[again] = variable, before
                found.append(again)
        return found

    def read_at_the_end(self, fetches: Iterable[Node]) -> None:
        """Makes fetches of reads return the values after the updates."""
        for node in fetches if self._updates else ():
            source, _ = node.inputs[0]
            variable = self._variables.get(source)
            if variable is None or source.device != variable[0].device:
                continue
            if self._updates.get(variable, 0) & ~self._passed.get(source, 0):
                node.inputs = [variable]

    def add(self, node: Node, before: int) -> None:
        """Records the variables that a node refers to and changes."""
        refers = bool(node.dtypes) and _is_reference(node, 0)
        if refers and not node.inputs:
            self._variables[node] = node, 0
        touched = [value for value in node.inputs if value[0] in self._variables]
        if touched:
            changed = [self._variables[value[0]] for value in touched if _is_reference(*value)]
            if changed and not node.op_def.forwards:
                before |= 1 << self._count
                for variable in changed:
                    self._updates[variable] = self._updates.get(variable, 0) | 1 << self._count
                self._count += 1
            # A "ReadVariableOp" keeps what it has read, whatever becomes of the variable.
            if refers or node.op_def.forwards and node.type != "ReadVariableOp":
                self._variables[node] = self._variables[node.inputs[0][0]]
        if before:
            self._passed[node] = before


def variables_themselves(
    nodes: Sequence[Node], graph: FuncGraph, same: Mapping[int, int]
) -> list[Node]:
    """Makes a function read the variables that it changes, instead of values from before it began.

    Args:
      nodes: of the function, each after its dependencies; their inputs change.
      graph: the function.
      same: the place of an argument that is the value of a variable -> that of the variable.
    """
    arguments = {node.attrs["index"]: node for node in nodes if node.type == "_Arg"}
    instead: dict[Node, Node] = {}
    added: list[Node] = []
    for place, of in same.items():
        if place not in arguments:
            continue
        if of not in arguments:
            ref = graph.inputs[of]
            arguments[of] = argument(
                f"_arg_{ref.op.name}_0", of, ref.name, ref.dtype, ref.shape, ref.op
            )
            arguments[of].device = arguments[place].device
            added.append(arguments[of])
        value = arguments[place]
        instead[value] = reading((arguments[of], 0), f"_read_{value.name}", [], value.op)
    if not instead:
        return list(nodes)
    for node in nodes:
        node.inputs = [(instead.get(source, source), index) for source, index in node.inputs]
    rest = [node for node in nodes if node.type != "_Arg"]
    given = [node for node in nodes if node.type == "_Arg" and node not in instead]
    return [*given, *added, *instead.values(), *rest]


def _is_reference(source: Node, index: int) -> bool:
    return source.dtypes[index]._is_ref_dtype

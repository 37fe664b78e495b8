"""Which value of a variable is read, beside an update in the same step.

    W ──> W/read ──> x * W/read         waits for no update: reads what W was
     └──> update ┄┄> 2 * W/read         comes after the update: reads what that has left

In TensorFlow `W/read` shares the memory of its variable, and an update writes into that memory: who
comes after it, by data or by control dependencies, finds the new value. Here an update may give the
variable other memory, so who comes after it is given a read of its own. Who waits for no update
reads the old value, where TensorFlow leaves it to chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import get_op_def
from minitf.core.runtime.plan.subgraph import Node, argument

Value = tuple[Node, int]


def read_again(nodes: Sequence[Node]) -> list[Node]:
    """Gives who comes after an update of a variable a read of its own.

    Args:
      nodes: of a step or a function, each after all it reads and waits for; their inputs change.
    """
    variables: dict[Node, Value] = {}  # of what refers to a variable, or shares its memory
    updates: dict[Value, int] = {}  # of each variable, as bits
    passed: dict[Node, int] = {}  # of each node that comes after updates: those
    order: list[Node] = []
    added = 0
    bit = 1
    for node in nodes:
        before = 0
        if passed:
            for source, _ in node.inputs:
                before |= passed.get(source, 0)
            for source in node.controls:
                before |= passed.get(source, 0)
        shared = [
            (place, value) for place, value in enumerate(node.inputs) if value[0] in variables
        ]
        changes = False
        for place, (source, index) in shared:
            variable = variables[source]
            if _is_reference(source, index):
                changes = changes or not node.op_def.forwards
                continue
            missed = updates.get(variable, 0) & before & ~passed.get(source, 0)
            if missed and source.device == variable[0].device:  # a cached value is a copy
                awaited = [*(each for each, _ in node.inputs), *node.controls]
                waits = [each for each in awaited if passed.get(each, 0) & missed]
                added += 1
                again = _read(variable, f"_{source.name}_{added}", source, waits)
                node.inputs[place] = (again, 0)
                variables[again], passed[again] = variable, before
                order.append(again)
        order.append(node)
        if changes:
            for _, (source, index) in shared:
                if _is_reference(source, index):
                    updates[variables[source]] = updates.get(variables[source], 0) | bit
            before |= bit
            bit <<= 1
        if before:
            passed[node] = before
        if not node.inputs and node.dtypes and _is_reference(node, 0):
            variables[node] = node, 0
        elif shared and (node.op_def.forwards or node.dtypes and _is_reference(node, 0)):
            if node.type != "ReadVariableOp":  # which keeps what it has read
                variables[node] = variables[node.inputs[0][0]]
    return order


def variables_themselves(
    nodes: Sequence[Node], graph: FuncGraph, same: Mapping[int, int]
) -> list[Node]:
    """Lets a function read variables that it changes, in place of what was read before it began.

    Args:
      nodes: of the function, each after all it reads and waits for; their inputs change.
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
        instead[value] = _read((arguments[of], 0), f"_read_{value.name}", value)
    if not instead:
        return list(nodes)
    for node in nodes:
        node.inputs = [(instead.get(source, source), index) for source, index in node.inputs]
    rest = [node for node in nodes if node.type != "_Arg"]
    given = [node for node in nodes if node.type == "_Arg" and node not in instead]
    return [*given, *added, *instead.values(), *rest]


def _is_reference(source: Node, index: int) -> bool:
    return source.dtypes[index]._is_ref_dtype


def _read(variable: Value, name: str, like: Node, controls: Sequence[Node] = ()) -> Node:
    """A read of the variable now, in place of a node that gives what was read before."""
    op_def, (source, _) = get_op_def("Identity"), variable
    return Node(
        name,
        op_def,
        op_def.complete_attrs({}),
        [variable],
        list(controls),
        source.device,
        [like.dtypes[0].base_dtype],
        list(like.shapes),
        like.op,
    )

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


def read_again(nodes: Sequence[Node], of_step: bool = True) -> list[Node]:
    """Gives who comes after an update of a variable a read of its own.

    Args:
      nodes: of a step or a function, each after all it reads and waits for; their inputs change.
      of_step: whether what is returned leaves at the end of a step, which comes after all updates.
    """
    variables: dict[Node, Value] = {}  # of what refers to a variable, or shares its memory
    updates: dict[Value, int] = {}  # of each variable, as bits
    passed: dict[Node, int] = {}  # of each node that comes after updates: those
    order: list[Node] = []
    count = 0
    for node in nodes:
        awaited = [source for source, _ in node.inputs] + node.controls
        before = 0
        if passed:
            for source in awaited:
                before |= passed.get(source, 0)
        for place, (source, index) in enumerate(node.inputs if before else ()):
            variable = variables.get(source)
            if variable is None or _is_reference(source, index):
                continue
            missed = updates.get(variable, 0) & before & ~passed.get(source, 0)
            if missed and source.device == variable[0].device:  # a cached value is a copy
                waits = [each for each in awaited if passed.get(each, 0) & missed]
                again = _read(variable, f"_read_{source.name}_{len(order)}", source, waits)
                node.inputs[place] = (again, 0)
                variables[again], passed[again] = variable, before
                order.append(again)
        order.append(node)
        references = [value for value in node.inputs if _is_reference(*value)]
        if node.type == "ReadVariableOp":
            pass  # it keeps what it has read
        elif node.op_def.forwards:
            source, index = node.inputs[0]
            if source in variables or references:
                variables[node] = variables.get(source, (source, index))
        elif references:
            for source, index in references:
                variable = variables.get(source, (source, index))
                updates[variable] = updates.get(variable, 0) | 1 << count
            if node.dtypes and _is_reference(node, 0):
                source, index = references[0]
                variables[node] = variables.get(source, (source, index))
            before |= 1 << count
            count += 1
        if before:
            passed[node] = before
    for node in order if of_step and updates else ():
        variable = variables.get(node.inputs[0][0]) if node.type == "_Retval" else None
        if variable in updates and node.inputs[0][0].device == variable[0].device:
            node.inputs = [variable]
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

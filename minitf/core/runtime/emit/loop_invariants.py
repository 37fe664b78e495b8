"""Loop-invariant code motion: what a loop computes alike in every turn stands before it.

    while i < n:                        turned = transpose(w)
        turned = transpose(w)           while i < n:
        x = x @ turned                      x = x @ turned

Only what cannot fail is moved: a loop may take no turn at all.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from minitf.core.graph import dtypes
from minitf.core.runtime.passes.rewriting import Value, touches_variable
from minitf.core.runtime.plan.subgraph import Node, argument, result


def take_out(
    nodes: Sequence[Node], fixed: Container[int], count: int
) -> tuple[list[Node], list[Node]]:
    """Splits the body of a loop into what can stand before it and what must stay.

    Args:
      nodes: of the body, each after all it reads.
      fixed: the indices of the arguments that are the same in every turn.
      count: how many arguments the body has.
    Returns: the nodes before, whose results `_Retval` numbers, and those inside, which read result
      k as argument `count + k`.
    """
    same: set[Node] = set()
    for node in nodes:
        if node.type == "_Arg":
            if node.attrs["index"] in fixed and not node.dtypes[0]._is_ref_dtype:
                same.add(node)
        elif all(source in same for source, _ in node.inputs) and _may_move(node):
            same.add(node)
    inside = [node for node in nodes if node not in same or node.type in ("_Arg", "Const")]
    moved = {node for node in same if node.type not in ("_Arg", "Const")}
    arguments: dict[Value, Node] = {}
    results: list[Node] = []
    for node in inside:
        for value in node.inputs:
            if value[0] in moved and value not in arguments:
                place = len(results)
                source, output = value
                name, dtype, shape = source.name, source.dtypes[output], source.shapes[output]
                arguments[value] = argument(name, count + place, name, dtype, shape, source)
                results.append(result(f"_result_{place}", place, value))
        node.inputs = [
            (arguments[value], 0) if value in arguments else value for value in node.inputs
        ]
    wanted = {source for source, _ in arguments}
    for node in reversed(nodes):
        if node in wanted:
            wanted.update(source for source, _ in node.inputs)
    read = {source for node in inside for source, _ in node.inputs}
    inside = [node for node in inside if node not in same or node in read]
    before = [node for node in nodes if node in wanted]
    return [*before, *results], [*arguments.values(), *inside]


def _may_move(node: Node) -> bool:
    if node.op_def.stateful or node.controls or touches_variable(node) or len(node.dtypes) != 1:
        return False
    if node.type == "Const":
        return True
    one = node.op_def.elementwise and len(node.inputs) == 1
    safe = one or node.op_def.cannot_fail
    return bool(node.inputs) and node.dtypes[0] != dtypes.variant and safe

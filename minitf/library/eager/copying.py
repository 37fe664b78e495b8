"""Operations of a graph, added again to the graph that is current.

    f:  x ──> Mul ──> Sum ──> y          copied([y], {x: u})
                                         current graph:  u ──> Mul ──> Sum ──> what y is there

A function that runs inside a graph is copied into it, so that gradients, passes and sessions need
to know nothing of calls; a part of a function becomes another function in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph import Graph
from minitf.core.graph.importer import from_function_def
from minitf.core.graph.tensor import Operation, Tensor

_GIVEN = ("Argument", "Placeholder", "RefArgument")


class UnliftableError(Exception):
    """What is asked for needs a value that nobody gives."""


def needed(fetches: Sequence[Tensor | Operation], known: Mapping[Tensor, Any]) -> list[Operation]:
    """The operations that some elements need, in the order in which they were made.

    Args:
      fetches: tensors and operations of one graph.
      known: tensors that need nothing.
    Raises:
      UnliftableError: when one of them is a placeholder that is not known.
    """
    reader: dict[Operation, Operation | None] = {}  # of each operation, on the way to what is asked
    waiting: list[Operation] = []
    for fetch in fetches:
        op = fetch if isinstance(fetch, Operation) else fetch.op
        if fetch not in known and op not in reader:
            reader[op] = None
            waiting.append(op)
    while waiting:
        op = waiting.pop()
        if op.type in _GIVEN:
            raise UnliftableError(_no_way(op, reader))
        for before in [t.op for t in op.inputs if t not in known] + op.control_inputs:
            if before not in reader and not any(t in known for t in before.outputs):
                reader[before] = op
                waiting.append(before)
    return sorted(reader, key=lambda op: op._id)


def _no_way(op: Operation, reader: Mapping[Operation, Operation | None]) -> str:
    path = [op]
    while (after := reader[path[-1]]) is not None:
        path.append(after)
    path.reverse()
    steps = " <- ".join(f"{each.name} ({each.type})" for each in path)
    return (
        f"Unable to lift tensor {path[0].outputs[0] if path[0].outputs else path[0]!r} because it "
        f"depends transitively on placeholder {op!r} via at least one path, e.g.: {steps}"
    )


def copied(
    fetches: Sequence[Tensor | Operation],
    instead: Mapping[Tensor, Tensor],
    same_names: bool = False,
) -> list[Any]:
    """Adds the operations that some elements need to the current graph.

    Args:
      fetches: tensors and operations of one graph.
      instead: for tensors of that graph what stands for them in the current one.
      same_names: whether names stay; else they are put into the open scope.
    Returns: what the elements are in the current graph.
    Raises:
      UnliftableError: when one needs a placeholder that nothing stands for.
    """
    target = stacks.get_default_graph()
    ops = needed(fetches, instead)
    values: dict[Tensor, Tensor] = dict(instead)
    made: dict[Operation, Operation] = {}
    for op in ops:
        inputs = [values[t] for t in op.inputs]
        attrs = {k: _own(v, target, inputs) for k, v in op.attrs.items() if k != "_class"}
        name = f"{op.name}/" if same_names else op.name
        with target.device(op.device or None), target.colocate_with(None, True):
            new = target.add_operation(op.op_def, inputs, attrs, name)
        target._names_in_use.setdefault(new.name.lower(), 1)
        for old_tensor, new_tensor in zip(op.outputs, new.outputs, strict=True):
            new_tensor.set_shape(old_tensor.shape)
            values.setdefault(old_tensor, new_tensor)
        made[op] = new
    for op, new in made.items():
        new._add_control_inputs([made[each] for each in op.control_inputs if each in made])
    return [made[each] if isinstance(each, Operation) else values[each] for each in fetches]


def _own(value: Any, target: Graph, inputs: Sequence[Tensor]) -> Any:
    """An attribute; a function in it becomes one inside of the current graph."""
    if not isinstance(value, FuncGraph):
        return value
    scope = target.get_name_scope()
    return from_function_def(value.to_function_def(), target, scope and f"{scope}/", inputs)

"""Vectorizing: from a function of one example to the operations for many of them at once.

    one    x: [784]       ->  x / 255,  Cast,  Reshape to [28, 28]
    many   x: [B, 784]    ->  x / 255,  Cast,  Reshape to [B, 28, 28]

The operations are walked over in order. Those that depend on no example are taken over as they
are, once for all; the others say by their batch rule (`core/ops/batching.py`) what they become.
`tf.data` runs a mapped function so for a whole batch.
"""

from __future__ import annotations

from collections.abc import Sequence

from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops.batching import again, batched, spread


class NoBatchRule(Exception):
    """An operation does not say how it runs for many examples at once."""


def vectorize(
    function: FuncGraph, inputs: Sequence[Tensor], stacked: Sequence[bool]
) -> list[Tensor]:
    """Adds the operations of a function to the current graph, for many examples at once.

    Args:
      function: from the parameters of one example to its outputs.
      inputs: what stands for the function's inputs, captured ones too.
      stacked: of each whether it holds the examples along its first axis.

    Returns: the outputs, each stacked.
    Raises:
      NoBatchRule: when an operation has no rule, acts on state, or waits for another.
    """
    known = dict(zip(function.inputs, zip(inputs, stacked, strict=True), strict=True))
    rows = inputs[list(stacked).index(True)]
    for op in _needed(function):
        if all(output in known for output in op.outputs):
            continue
        pairs = [known[x] for x in op.inputs]
        found = _outputs(op, [x for x, _ in pairs], [s for _, s in pairs])
        known.update(zip(op.outputs, found, strict=True))
    results = [known[output] for output in function.outputs]
    return [x if is_stacked else spread(x, rows) for x, is_stacked in results]


def _needed(function: FuncGraph) -> list[Operation]:
    """The operations on which the outputs depend, in the order in which they were made."""
    seen: set[Operation] = set()
    waiting = [output.op for output in function.outputs]
    while waiting:
        op = waiting.pop()
        if op not in seen:
            seen.add(op)
            waiting += [x.op for x in op.inputs]
            waiting += op.control_inputs
    return [op for op in function.get_operations() if op in seen]


def _outputs(op: Operation, inputs: list[Tensor], stacked: list[bool]) -> list[tuple[Tensor, bool]]:
    if op.control_inputs:
        raise NoBatchRule(f"'{op.name}' waits for '{op.control_inputs[0].name}'.")
    if not any(stacked) and not op.op_def.stateful:
        return [(y, False) for y in again(op, inputs)]
    found = batched(op, inputs, stacked) if any(stacked) else None
    if found is None:
        raise NoBatchRule(f"'{op.name}' ({op.type}) has no batch rule for these inputs.")
    return [(y, True) for y in found]

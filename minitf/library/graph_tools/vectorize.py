"""Vectorizing: from a function of one example to the operations for many of them at once.

    one    x: [784]       ->  x / 255,  Cast,  Reshape to [28, 28]
    many   x: [B, 784]    ->  x / 255,  Cast,  Reshape to [B, 28, 28]

The operations are walked over in order. Those that depend on no example are taken over as they
are, once for all; the others say by their batch rule (`core/ops/batching.py`) what they become.
`tf.data` runs a mapped function so for a whole batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import call
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops.batching import again, behind, folded, only_first, spread, stack_all


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


# ---- the kinds of rules ------------------------------------------------------------------


def _aligned(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> Any:
    """Shapes broadcast: the stacked inputs get the rank of the largest, so that axes meet."""
    ranks = [x.shape.ndims for x in op.inputs]
    if None in ranks and len(ranks) > 1:
        return None
    found = []
    for x, is_stacked, rank in zip(inputs, stacked, ranks, strict=True):
        for _ in range(max(ranks) - rank if is_stacked and len(ranks) > 1 else 0):
            x = call("ExpandDims", x, axis=1)
        found.append(x)
    return again(op, found)


def _each(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> Any:
    """The op works on the last axes, or on each element, whatever stands in front."""
    return again(op, stack_all(op, inputs, stacked))


def _first(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> Any:
    """As `_each`, of the first input; the others are the same for all examples."""
    return again(op, inputs) if only_first(stacked) else None


def _axis(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> Any:
    """The op works along axes: those that are counted from the front move on by one."""
    name = "dimension" if "dimension" in op.attrs else "axis"
    axis, rank = op.attrs[name], op.inputs[op.op_def.shape_input or 0].shape.ndims
    if axis is None and rank is None:
        return None
    return again(op, stack_all(op, inputs, stacked), **{name: behind(axis, rank)})


def _axis_first(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> Any:
    """As `_axis`; the inputs but for the first are the same for all examples."""
    return again(op, inputs, axis=behind(op.attrs["axis"])) if only_first(stacked) else None


def _fold(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> Any:
    """Every input has the batch in front."""
    batches = {str(x.shape[:1]) for x in op.inputs}
    if len(batches) > 1:
        return None  # one of them may be meant for all
    host = op.op_def.host_inputs
    is_batch = [place not in host for place in range(len(inputs))]
    return folded(op, stack_all(op, inputs, stacked), is_batch)


_KINDS: dict[str, Callable[..., Any]] = {
    "each": _each,
    "first": _first,
    "axis": _axis,
    "axis first": _axis_first,
    "broadcast": _aligned,
    "fold": _fold,
}


def batched(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> list[Tensor] | None:
    """The outputs of an operation for many examples; None when it has no rule for these inputs.

    Args:
      op: the operation for one example.
      inputs: what stands for its inputs.
      stacked: of each whether it holds the examples along its first axis; at least one does.

    Returns: the stacked outputs.
    """
    op_def = op.op_def
    if op_def.stateful or any(stacked[place] for place in op_def.host_inputs):
        return None
    kind = op_def.batch_kind
    if not kind and op_def.elementwise:
        kind = "broadcast" if op_def.broadcasts else "each"
    rule = op_def.batch_function or _KINDS.get(kind)
    outputs = None if rule is None else rule(op, list(inputs), list(stacked))
    return outputs if outputs is None or type(outputs) is list else [outputs]

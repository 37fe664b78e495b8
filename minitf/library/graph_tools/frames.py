"""Loops built by hand of TensorFlow's lowest words, as `tf.while_loop`.

    i = merge([enter(0, "f"), enter(0, "f")])[0]         its second input comes later
    done, going = switch(i, loop_cond(i < 10))
    i.op._update_input(1, next_iteration(going + 1))     the circle is closed
    exit(done)

Until `exit` these operations only say what belongs to what, and `exit` builds the loop: its
condition and its body are copies of what stands between them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from minitf.core.gradients.while_loop import exit_op, while_loop
from minitf.core.graph import errors
from minitf.core.graph.composites import put_together, take_apart
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.operation import Operation
from minitf.core.graph.stacks import get_default_graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.batching import again

_SAMPLES = "it is part of a loop; tests/conformance/cases/frames.py builds some"
_KIND: dict[str, Any] = {"forwards": True, "alias": True, "no_samples": _SAMPLES}


@op("Enter", "data: T -> output: T", **_KIND)
def enter_op(xp: Any, data: Any, *, frame_name: str = "", is_constant: bool = False) -> Any:
    """Takes a value into a loop."""
    return data


@op("NextIteration", "data: T -> output: T", **_KIND)
def next_iteration_op(xp: Any, data: Any) -> Any:
    """Takes a value into the next turn."""
    return data


@op("LoopCond", "input: bool -> output: bool", **_KIND)
def loop_cond_op(xp: Any, input: Any) -> Any:
    """Says whether there is another turn."""
    return input


@op("LoopMerge", "inputs: N*T -> output: T, value_index: int32", no_samples=_SAMPLES)
def loop_merge_op(xp: Any, inputs: Any) -> NoReturn:
    """The value of a loop variable in a turn."""
    raise errors.InvalidArgumentError.of(
        "A value inside of a loop was asked for: only what `exit` gives is outside of it."
    )


for each in (enter_op, next_iteration_op, loop_cond_op):
    each.shape(unchanged_shape)
    each.gradient(lambda op, dy: dy)
loop_merge_op.shape(lambda inputs: [inputs[0].shape, ()])


def _of_each(apply: Any, data: Any) -> Any:
    return put_together(data, [apply(t) for t in take_apart(data, convert_to_tensor)])


def enter(
    data: Any, frame_name: str, is_constant: bool = False, parallel_iterations: int = 10,
    use_ref: bool = True, use_input_shape: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """`data` inside of the loop of a name.

    Args:
      data: a tensor, or what is made of several.
      frame_name: the name of the loop.
      is_constant: whether it is the same in all turns.
      parallel_iterations, use_ref, use_input_shape: accepted; turns run one after the other.
      name: a name for the operation.
    """
    attrs = {"frame_name": frame_name, "is_constant": is_constant}
    return _of_each(lambda t: enter_op(t, name=name, **attrs), data)


def next_iteration(data: Any, name: str | None = None) -> Any:
    """`data` in the next turn of a loop: what the second input of a `merge` becomes."""
    return _of_each(lambda t: next_iteration_op(t, name=name), data)


def loop_cond(input: Any, name: str | None = None) -> Tensor:
    """The condition of a loop: by it the loop variables are switched."""
    return loop_cond_op(input, name=name)


def exit(data: Any, name: str | None = None) -> Any:
    """The value of a loop variable after the loop.

    Args:
      data: the first output of the `switch` of the variable.
      name: a name for the operation.
    Raises:
      ValueError: when nothing leads from the loop variable's body back to it.
    """
    return _of_each(lambda t: exit_op(_left(t), name=name), data)


_loops: WeakKeyDictionary[Operation, dict[Operation, Tensor]] = WeakKeyDictionary()


def _left(data: Tensor) -> Tensor:
    """What a value inside of a loop is behind it."""
    switch = data.op
    while switch.type == "Identity":
        switch = switch.inputs[0].op
    if switch.type != "Switch" or switch.inputs[1].op.type != "LoopCond":
        return data
    end = switch.inputs[1].op
    header = switch.inputs[0].op
    if header not in _loops.get(end, {}):
        _loops[end] = _built(end)
    if header not in _loops[end]:
        raise ValueError(
            f"'{header.name}' is no variable of a loop yet: the second input of its `merge` has to "
            "be what `next_iteration` gives, before `exit`."
        )
    return _loops[end][header]


def _built(end: Operation) -> dict[Operation, Tensor]:
    """The loop that ends by a condition: for the header of each variable its last value."""
    switches = {
        each.inputs[0].op: each
        for each in end.outputs[0].consumers()
        if each.type == "Switch" and each.inputs[0].op.type == "LoopMerge"
    }
    headers = [m for m in switches if m.inputs[1].op.type == "NextIteration"]
    starts = [header.inputs[0] for header in headers]
    results = [header.inputs[1] for header in headers]

    def condition(*values: Tensor) -> Tensor:
        inside = {header.outputs[0]: value for header, value in zip(headers, values, strict=True)}
        return copies([end.inputs[0]], inside)[0]

    def body(*values: Tensor) -> list[Tensor]:
        inside: dict[Tensor, Tensor] = {}
        for header, value in zip(headers, values, strict=True):
            inside |= dict.fromkeys([header.outputs[0], *switches[header].outputs], value)
        return copies(results, inside)

    if not headers:
        return {}
    found = while_loop(condition, body, starts, name=end.name, return_same_structure=True)
    return dict(zip(headers, found, strict=True))


def copies(ends: Sequence[Tensor], instead: dict[Tensor, Tensor]) -> list[Tensor]:
    """Some tensors once more, in the current graph: with the data of a switch for its outputs.

    Args:
      ends: the tensors.
      instead: what else stands in the place of what; the copies of all outputs are added.
    """
    made: dict[Operation, Operation] = {}
    for each in depending(ends, instead):
        inputs = [instead.get(t, t) for t in each.inputs]
        if each.type == "Switch":
            outputs = [inputs[0]] * 2
        else:
            waits = [made.get(c, c) for c in each.control_inputs if c.type != "Switch"]
            with get_default_graph().control_dependencies(waits):
                outputs = again(each, inputs)
            if outputs:
                made[each] = outputs[0].op
        instead.update(zip(each.outputs, outputs, strict=False))
    return [instead.get(t, t) for t in ends]


def depending(ends: Iterable[Tensor], starts: Container[Tensor] = ()) -> list[Operation]:
    """What `ends` need of what depends on `starts` or on a switch, in the order of its making."""
    needed: dict[Operation, None] = {}
    pending = [t.op for t in ends if t not in starts]
    while pending:
        last = pending.pop()
        if last not in needed:
            needed[last] = None
            pending += [t.op for t in last.inputs if t not in starts] + last.control_inputs
    dependent: dict[Operation, None] = {}
    for each in sorted(needed, key=lambda made: made._id):
        before = [*(t.op for t in each.inputs), *each.control_inputs]
        begins = each.type == "Switch" or any(t in starts for t in each.inputs)
        if begins or any(b in dependent for b in before):
            dependent[each] = None
    return list(dependent)

"""Loops that keep what their turns computed, made plain ones, as TensorFlow 2 has them.

Here a `While` may leave stacks, and a `Scan` goes through them (core/gradients/while_loop.py).
There a loop has variables and nothing else; a stack is a list among them, to which a turn writes:

    While ──turns, stack of x──>          While(..., i + 1, write(xs, i, x)) ──i, xs──>
    Scan(turns, reversed stack) over x    While(i < turns), in it x = read(xs, turns - 1 - i)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import FunctionDef, NodeDef
from minitf.core.graph.shapes import TensorShape

_SCALAR = TensorShape(())


@dataclass
class PlainLoop:
    """A loop that has variables only.

    Args:
      node: the `While`.
      before: nodes that it reads.
      places: for results of the old loop that have another place now, which.
    """

    node: NodeDef
    before: list[NodeDef] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)


def plain_loop(
    node: NodeDef, is_read: Callable[[str], bool], maker: Callable[[str], NodeDef | None]
) -> PlainLoop:
    """A `While` or `Scan` as a `While` without stacks.

    Args:
      node: the loop.
      is_read: tells whether anybody reads a value.
      maker: finds the node that makes a value.
    """
    attr, carried, is_scan = node.attrs, node.attrs["carried"], node.op == "Scan"
    first = carried if is_scan else carried + 1  # of the results that are stacks
    body: FunctionDef = attr["body"]
    outputs = body.outputs[:carried]
    kept = [
        (f"{node.name}:{first + i}", value)
        for i, value in enumerate(body.outputs[carried:])
        if is_read(f"{node.name}:{first + i}")
    ]
    sources = node.data_inputs
    waits = node.control_inputs
    types, shapes = attr["types"][:carried], attr["shapes"][:carried]
    if not (is_scan or kept or is_read(f"{node.name}:{carried}")):
        cut = _with(body, body.node, body.inputs, outputs)
        attr = {**attr, "body": cut, "types": types, "shapes": shapes}
        return PlainLoop(NodeDef(node.name, "While", node.input, node.device, attr))

    functions = [body] if is_scan else [body, attr["cond"]]
    names = _free({each.name for function in functions for each in function.node}, node.name)
    made: list[NodeDef] = []  # in the body

    def add(part: str, kind: str, *inputs: str, **more: Any) -> str:
        made.append(NodeDef(next(names) + part, kind, [*inputs], attrs=more))
        return f"{made[-1].name}:0"

    def argument(part: str, dtype: DType) -> str:
        return add(part, "Argument", dtype=dtype, shape=_SCALAR)

    loop = PlainLoop(NodeDef(node.name, "While", [], node.device))
    turn = argument("turn", dtypes.int32)
    lists = [argument("list", dtypes.variant) for _ in kept]
    arguments = [*made]
    one = add("one", "Const", **_number(1))
    following = add("next", "AddV2", turn, one)
    written = [
        add("written", "TensorArrayWriteV3", each, turn, value, again=True)
        for each, (_, value) in zip(lists, kept, strict=True)
    ]
    outside = f"{node.name}/"
    while any(maker(f"{outside}{part}") for part in ("turn", "list_0")):
        outside += "_"
    loop.before = [NodeDef(f"{outside}turn", "Const", [], node.device, _number(0))]
    for place, (value, _) in enumerate(kept):
        empty = NodeDef(f"{outside}list_{place}", "EmptyList", [], node.device, {"size": 0})
        loop.before.append(empty)
        loop.places[value] = f"{node.name}:{carried + 1 + place}"
    new = [each.name for each in loop.before]
    inputs, nodes = [*body.inputs], {each.name: each for each in body.node}
    if is_scan:
        inputs.append(argument("turns", dtypes.int32))
        sources = [*sources[1:], sources[0]]
        back = add("back", "Sub", add("left", "Sub", inputs[-1], turn), one)
        for place in range(len(body.inputs) - attr["scanned"], len(body.inputs)):
            stack, element = maker(sources[place]), nodes[body.inputs[place].partition(":")[0]]
            is_reversed = stack is not None and stack.op == "ReverseStack"
            if stack is not None and is_reversed:
                sources[place] = stack.input[0]
            inputs[place] = argument("stack", dtypes.variant)
            given = [inputs[place], back if is_reversed else turn]
            nodes[element.name] = NodeDef(
                element.name, "TensorArrayReadV3", given, attrs={"dtype": element.attrs["dtype"]}
            )
        named = {each.partition(":")[0] for each in inputs}
        arguments += [each for each in (*made, *nodes.values()) if each.name in named]
        test = NodeDef(next(names) + "test", "Less", [turn, inputs[-1]])
        cond = FunctionDef("cond", [test], tuple(inputs), (f"{test.name}:0",))
    else:
        cond = attr["cond"]
    cond = _with(
        cond, [*arguments, *cond.node], _inserted(cond.inputs, carried, turn, *lists), cond.outputs
    )
    inputs = _inserted(inputs, carried, turn, *lists)
    loop.node.input = [*_inserted(sources, carried, *new), *waits]
    loop.node.attrs = {
        "cond": cond,
        "body": _with(body, [*made, *nodes.values()], inputs, [*outputs, following, *written]),
        "carried": carried + len(new),
        "types": (*types, dtypes.int32, *[dtypes.variant] * len(kept)),
        "shapes": (*shapes, *[_SCALAR] * len(new)),
    }
    return loop


def _number(value: int) -> dict[str, Any]:
    return {"dtype": dtypes.int32, "value": np.array(value, np.int32)}


def _inserted(names: Sequence[str], place: int, *more: str) -> list[str]:
    return [*names[:place], *more, *names[place:]]


def _with(function: FunctionDef, nodes: Any, inputs: Any, outputs: Any) -> FunctionDef:
    return FunctionDef(function.name, [*nodes], tuple(inputs), tuple(outputs), function.captured)


def _free(taken: set[str], scope: str) -> Iterator[str]:
    """Beginnings of names that no node of a function has."""
    number = 0
    while True:
        start = f"{scope}/{number}_"
        if not any(name.startswith(start) for name in taken):
            yield start
        number += 1

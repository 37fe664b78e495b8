"""Python functions of one step that may wait for each other: each gets a thread of its own.

    PyFunc a            _Start a ── thread a ──┐
    PyFunc b            _Start b ── thread b ──┼──┐
    MatMul              MatMul                 │  │
                        _Join a  <─────────────┘  │
                        _Join b  <────────────────┘

A step runs one kernel after the other, so a function that waits for another one of the same step (a
barrier, a queue of Python) would wait for ever. TensorFlow runs them on several threads. The pass
here does so too, where a step has two or more that need nothing of each other; all other steps run
as before.
"""

from __future__ import annotations

import contextvars
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.passes.rewriting import Value, new_node, replace
from minitf.core.runtime.plan.subgraph import Node, Private
from minitf.core.runtime.run.executor import threads

_CALLS = ("PyFunc", "PyFuncStateless", "EagerPyFunc")
_NO_SAMPLES = "Only plans have it; tests/library/test_python_threads.py runs it."


class _Call(Private):
    """The kernel of a node, with its attributes."""

    def __init__(self, node: Node) -> None:
        self.kernel = partial(node.op_def.kernel, None, **node.attrs)

    def __str__(self) -> str:
        return "call"


@op(
    "_Start",
    "input: N*? -> started: variant",
    no_samples=_NO_SAMPLES,
    differentiable=False,
    host_only=True,
)
def _start_op(ctx: Any, input: Any, *, call: Any) -> Future:
    """Begins to call a Python function, in a thread and in the context of this one."""
    started: Future = Future()

    def work() -> None:
        try:
            started.set_result(call.kernel(input))
        except BaseException as error:
            started.set_exception(error)

    threads.start(partial(contextvars.copy_context().run, work))
    return started


@op(
    "_Join",
    "started: variant -> output: N*types",
    no_samples=_NO_SAMPLES,
    differentiable=False,
    host_only=True,
)
def _join_op(ctx: Any, started: Future, *, types: Any) -> list[Any]:
    """What the function gave, or raised."""
    return started.result()


def start_together(nodes: Sequence[Node]) -> list[Node]:
    """Starts the Python functions that need nothing of each other together, before all waits."""
    calls = [node for node in nodes if node.type in _CALLS]
    if len(calls) < 2 or any(node.type == "_Recv" for node in nodes):
        return list(nodes)
    level: dict[Node, int] = {}  # how many functions have to come before, one after the other
    for node in nodes:
        needs = {source for source, _ in node.inputs} | set(node.controls)
        level[node] = max((level[n] + (n.type in _CALLS) for n in needs), default=0)
    together = Counter(level[call] for call in calls)
    new: dict[Value, Value] = {}
    instead: dict[Node, Node] = {}
    placed: list[Node] = []
    last: set[Node] = set()  # of their level
    for node in nodes:
        if node.type in _CALLS and together[level[node]] > 1:
            attrs = {"call": _Call(node)}
            shapes = [TensorShape([])]
            start = new_node("_Start", node, node.inputs, attrs, [dtypes.variant], shapes)
            join = new_node("_Join", node, [(start, 0)], {"types": node.attrs["types"]})
            level[start] = level[join] = level[node]
            instead[node] = join
            new.update({(node, i): (join, i) for i in range(len(node.dtypes))})
            placed.append(start)
            last.add(join)
        placed.append(node)
    return sorted(replace(placed, new, instead), key=lambda node: (level[node], node in last))

"""Updates that wait for who reads the old value, in graphs for TensorFlow.

Here a step reads a variable as it was, unless the program says otherwise. There whoever comes later
reads what an update has left, since a read shares the memory of its variable, as does what a loop
only passes on; its optimizers keep gradients together ("tuple/control_dependency"), ours need not.
So what is written gets edges:

    W/read ──> gradient of x ──> gradient of V ──> update of V
                     └─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─> update of W      waits for it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from minitf.core.graph.graph_def import FunctionDef, NodeDef

_UPDATES = ("Apply", "ScatterSub", "SparseApply")
_WRITES = (*_UPDATES, "Assign", "Scatter")
#: give each input on as it is
_SAME = {
    "CheckNumerics",
    "Exit",
    "Identity",
    "IdentityN",
    "PlaceholderWithDefault",
    "PreventGradient",
    "ReadVariableOp",
    "StopGradient",
}
#: may give a part of an input, or the same elements, in that input's memory
_PARTS = {
    "Bitcast",
    "EnsureShape",
    "ExpandDims",
    "If",
    "Merge",
    "Reshape",
    "Slice",
    "Split",
    "SplitV",
    "Squeeze",
    "StridedSlice",
    "Switch",
    "Unpack",
}
_Variables = frozenset[str]


def gated(nodes: Sequence[NodeDef]) -> list[NodeDef]:
    """Lets the updates that run together wait for all that reads their variables before them.

    Args:
      nodes: the nodes of a graph, sources first.
    """
    if not any(node.op.startswith(_UPDATES) for node in nodes):
        return list(nodes)
    sources = {n.name: [s.removeprefix("^").partition(":")[0] for s in n.input] for n in nodes}
    updates = {n.name: sources[n.name][0] for n in nodes if n.op.startswith(_UPDATES) and n.input}
    variables = set(updates.values())
    shared: dict[str, list[_Variables]] = {}  # whose memory the outputs of a node may lie in
    readers: dict[str, int] = {}  # of each variable, as bits
    reached: dict[str, int] = {}  # what each node depends on: readers as bits; the first is a write
    together: dict[str, int] = {}  # what runs wherever an update does
    names = [""]  # of the readers, by their bits
    for node in nodes:
        before = 0
        for source in sources[node.name]:
            before |= reached[source]
        given = [_lies_in(source, shared) for source in node.data_inputs]
        if node.name in variables:
            shared[node.name] = [frozenset({node.name})]
        elif any(given):
            shared[node.name] = _shared(node, given)
        if node.op.startswith(_WRITES):
            before |= 1
        elif node.op not in _SAME and not before & 1:  # it reads what was there before all updates
            seen = frozenset[str]().union(*given)
            before |= (1 << len(names)) * bool(seen)
            for variable in seen:
                readers[variable] = readers.get(variable, 0) | 1 << len(names)
            names += [node.name] * bool(seen)
        reached[node.name] = before
        for source in sources[node.name]:
            if source in updates and f"^{source}" in node.input:
                together[source] = together.get(source, 0) | before
    result = []
    for node in nodes:
        wanted = readers.get(updates.get(node.name, ""), 0) & together.get(node.name, 0)
        wanted &= ~reached[node.name]
        if wanted:
            waits = [f"^{name}" for bit, name in enumerate(names) if wanted >> bit & 1]
            node = replace(node, input=[*node.input, *waits])
        result.append(node)
    return result


def _lies_in(source: str, shared: Mapping[str, list[_Variables]]) -> _Variables:
    """The variables in whose memory a value may lie."""
    name, _, index = source.partition(":")
    outputs = shared.get(name)
    return outputs[min(int(index or 0), len(outputs) - 1)] if outputs else frozenset()


def _shared(node: NodeDef, given: list[_Variables]) -> list[_Variables]:
    """The same for each output of a node, by its inputs; the last is for all that follow."""
    if node.op in _SAME:
        return given
    if node.op in _PARTS:
        return [frozenset[str]().union(*given)]
    body = node.attrs.get("body")
    if node.op != "While" or not isinstance(body, FunctionDef):
        return []
    arguments = dict(zip([s.removesuffix(":0") for s in body.inputs], given, strict=False))
    last = [arguments.get(s.removesuffix(":0"), frozenset()) for s in body.outputs]
    return [first | given_on for first, given_on in zip(given, last, strict=False)]

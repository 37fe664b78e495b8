"""Updates that wait for who reads the old value, in graphs for TensorFlow.

Here a step reads a variable as it was, unless the program says otherwise. There whoever comes later
reads what an update has left, since a read shares the memory of its variable; its optimizers keep
gradients together ("tuple/control_dependency"), ours need not. So what is written gets edges:

    W/read ──> gradient of x ──> gradient of V ──> update of V
                     └─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─> update of W      waits for it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minitf.core.graph.graph_def import NodeDef

_UPDATES = ("Apply", "ScatterSub", "SparseApply")
_WRITES = (*_UPDATES, "Assign", "Scatter")


def gated(nodes: Sequence[NodeDef]) -> list[NodeDef]:
    """Lets the updates that run together wait for all that reads their variables before them.

    Args:
      nodes: the nodes of a graph, sources first.
    """
    if not any(node.op.startswith(_UPDATES) for node in nodes):
        return list(nodes)
    sources = {n.name: [s.removeprefix("^").partition(":")[0] for s in n.input] for n in nodes}
    updates = {n.name: sources[n.name][0] for n in nodes if n.op.startswith(_UPDATES)}
    variables, of = set(updates.values()), dict[str, str]()  # of which variable a node is the value
    readers: dict[str, int] = {}  # of each variable, as bits
    reached: dict[str, int] = {}  # what each node depends on: readers as bits; the first is a write
    together: dict[str, int] = {}  # what runs wherever an update does
    names = [""]  # of the readers, by their bits
    for node in nodes:
        before = 0
        for source in sources[node.name]:
            before |= reached[source]
        seen = {of[source] for source in sources[node.name] if source in of}
        if node.name in variables:
            of[node.name] = node.name
        elif node.op == "Identity" and seen:
            of[node.name] = min(seen)
        elif node.op.startswith(_WRITES):
            before |= 1
        elif seen and not before & 1:  # it reads what was there before all updates
            before |= 1 << len(names)
            for variable in seen:
                readers[variable] = readers.get(variable, 0) | 1 << len(names)
            names.append(node.name)
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

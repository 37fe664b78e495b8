"""What the graph widget's panel tells about one box, and what a run's statistics add.

For an op: type, device, attributes, every input and output with dtype and shape, who consumes it,
and its gradient ops (or, of a gradient op, the op it belongs to). For a scope: what enters it, what
leaves it, what is inside.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from minitf_widgets.graph.model import Box, Edge, GraphModel
from minitf_widgets.graph.nodes import Node, attr_text, shape_text, short_device

__all__ = ["describe", "inner_nodes", "run_bytes", "run_times"]

MAX_ROWS = 40


def _get(data: Any, name: str, default: Any) -> Any:
    value = data.get(name) if isinstance(data, Mapping) else getattr(data, name, None)
    return default if value is None else value


def _node_stats(run_metadata: Any) -> Iterator[tuple[str, Any, str]]:
    """Yields the name, the record and the device of each op's run."""
    for device in _get(_get(run_metadata, "step_stats", {}), "dev_stats", ()):
        for stats in _get(device, "node_stats", ()):
            yield _get(stats, "node_name", ""), stats, _get(device, "device", "")


def run_times(run_metadata: Any) -> tuple[dict[str, str], dict[str, float]]:
    """Reads where each op ran and how long it took, all its runs of the step together.

    Args:
      run_metadata: a RunMetadata, its data as mappings, or None.
    Returns: op name -> device; op name -> microseconds.
    """
    devices: dict[str, str] = {}
    times: dict[str, float] = {}
    for name, stats, device in _node_stats(run_metadata):
        devices[name] = device
        start = _get(stats, "op_start_rel_micros", 0)
        micros = _get(stats, "op_end_rel_micros", start) - start
        times[name] = times.get(name, 0.0) + micros
    return devices, times


def run_bytes(run_metadata: Any) -> dict[str, float]:
    """Reads how many bytes each op made: op name -> bytes."""
    sizes: dict[str, float] = {}
    for name, stats, _ in _node_stats(run_metadata):
        sizes[name] = sizes.get(name, 0.0) + _get(stats, "output_bytes", 0)
    return sizes


def describe(model: GraphModel, box: Box, times: Mapping[str, float]) -> dict[str, Any]:
    """Returns the panel's content for a box, as plain data.

    Args:
      model: the graph.
      box: one of its boxes.
      times: op name -> microseconds of a run, empty where there was none.
    """
    leaf = model.leaf(box.id) if box.node is None else box
    about = leaf if leaf is not None else box
    node = about.node
    details: dict[str, Any] = {
        "id": box.id,
        "name": about.name if node else box.id,
        "op": node.op if node else "",
        "role": box.role,
        "count": box.count,
        "devices": [
            {"name": (device if node else "") or short_device(device), "count": count}
            for device, count in sorted(about.devices.items())
        ],
        "micros": sum(times.get(inner.name, 0.0) for inner in inner_nodes(box)) if times else None,
    }
    inside = box if box.node is None and leaf is None else about
    ends = [(e, inside in e.source.chain, inside in e.target.chain) for e in model.edges]
    arriving = [edge for edge, leaves, arrives in ends if arrives and not leaves]
    leaving = [edge for edge, leaves, arrives in ends if leaves and not arrives]
    arriving.sort(key=lambda edge: edge.source.role != "main" and node is None)
    leaving.sort(key=lambda edge: edge.target.role != "main")
    inputs = [_row(edges) for edges in _by_tensor(arriving)]
    outputs = [_row(edges) | {"users": _users(edges)} for edges in _by_tensor(leaving)]
    if node is not None:
        outputs = _op_outputs(node, leaving)
    details |= {"inputs": inputs[:MAX_ROWS], "outputs": outputs[:MAX_ROWS]}
    left = {"inputs": len(inputs) - MAX_ROWS, "outputs": len(outputs) - MAX_ROWS}
    details["more"] = {name: max(0, count) for name, count in left.items()}
    if node is not None:
        details["attrs"] = [
            [name, attr_text(value)]
            for name, value in sorted(node.attrs.items())
            if not name.startswith("_")
        ]
        details["gradients"] = _counterparts(model, about)
    else:
        ops = collections.Counter(inner.op for inner in inner_nodes(box))
        details["ops"] = [[op, count] for op, count in ops.most_common(12)]
    return details


def inner_nodes(box: Box) -> Iterable[Node]:
    """Yields all operations inside a box."""
    if box.node is not None:
        yield box.node
    for child in box.children:
        yield from inner_nodes(child)


def _by_tensor(edges: Iterable[Edge]) -> Iterable[list[Edge]]:
    """Returns the edges of each tensor."""
    found: dict[tuple[str, int], list[Edge]] = {}
    for edge in edges:
        found.setdefault((edge.source.id, edge.index), []).append(edge)
    return found.values()


def _row(edges: list[Edge]) -> dict[str, Any]:
    """What is told of the tensor of these edges."""
    edge, (dtype, shape) = edges[0], edges[0].tensor
    told = {"dtype": dtype if edge.index >= 0 else "control", "shape": shape_text(shape)}
    return {"id": edge.source.id, "name": edge.name, **told}


def _op_outputs(node: Node, leaving: list[Edge]) -> list[dict[str, Any]]:
    """All tensors of an operation, those that nobody reads, too."""
    rows = [
        {"name": f"{node.name}:{index}", "dtype": dtype, "shape": shape_text(shape)}
        | {"users": _users(edge for edge in leaving if edge.index == index)}
        for index, (dtype, shape) in enumerate(node.outputs)
    ]
    after = _users(edge for edge in leaving if edge.index < 0)
    control = {"name": f"^{node.name}", "dtype": "control", "shape": "", "users": after}
    return [*rows, control] if after else rows


def _users(edges: Iterable[Edge]) -> list[dict[str, str]]:
    found = {edge.target.id: edge.target for edge in edges}
    return [{"id": box.id, "name": box.name} for box in list(found.values())[:12]]


def _counterparts(model: GraphModel, about: Box) -> list[dict[str, str]]:
    """Returns the gradients of an op, or the op of a gradient."""
    box = next((above for above in reversed(about.chain) if above.face is not None), None)
    if box is not None and box.face is not None:
        return [] if box.mirrors else [{"id": box.face.id, "name": box.face.id}]
    named = (about, about.parent)  # an op inside a scope of its name
    return [
        {"id": box.id, "name": box.id}
        for box in model.boxes.values()
        if box.face in named
        and not box.mirrors
        and box.face is not None
        and box.face.own is about.node
    ]

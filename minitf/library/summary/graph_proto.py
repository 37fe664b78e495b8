"""Graphs and traces as TensorBoard's messages, so that it draws them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import FunctionDef, GraphDef
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.run.step_stats import NodeExecStats
from minitf.core.runtime.session.config import RunMetadata
from minitf.library.formats.graph_message import FunctionName, GraphMessage, encode
from minitf.library.formats.summary_protos import protos

_HELD = (bool, int, float, np.generic, str, bytes, DType, TensorShape, np.ndarray)


def graph_proto(graph_def: GraphDef) -> Any:
    """The message of a graph: names, types, inputs, devices and attributes of its nodes."""
    nodes = []
    for node in graph_def.node:
        attrs = {key: _held(value) for key, value in node.attrs.items() if value is not None}
        nodes.append(replace(node, attrs=attrs))
    return protos().GraphDef.FromString(encode(GraphMessage(nodes)))


def _held(value: Any, inside: bool = False) -> Any:
    """A value as a message can hold it: a function by its name, and what it cannot as a text."""
    if isinstance(value, (list, tuple)) and not inside:
        return tuple(_held(item, True) for item in value if item is not None)
    if isinstance(value, FunctionDef) or hasattr(value, "to_function_def"):
        return FunctionName(value.name)
    return value if isinstance(value, _HELD) else str(value)


def run_metadata_proto(metadata: RunMetadata) -> Any:
    """The message of what a traced run told: when each node ran, and how much it made."""
    message = protos().RunMetadata()
    for device in metadata.step_stats.dev_stats:
        message.step_stats.dev_stats.add(
            device=device.device,
            node_stats=[_stats_proto(node) for node in device.node_stats],
            thread_names=device.thread_names,
        )
    for partition in metadata.partition_graphs:
        message.partition_graphs.add().CopyFrom(graph_proto(partition))
    return message


_STATS = (
    *("node_name", "timeline_label", "thread_id"),
    *("all_start_micros", "op_start_rel_micros", "op_end_rel_micros", "all_end_rel_micros"),
)


def _stats_proto(node: NodeExecStats) -> Any:
    message = protos().NodeExecStats(**{name: getattr(node, name) for name in _STATS})
    message.memory.add(allocator_name="cpu", total_bytes=node.output_bytes)
    return message

"""Graphs and traces as TensorBoard's messages, so that it draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import FunctionDef, GraphDef, NodeDef
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.run.step_stats import NodeExecStats
from minitf.core.runtime.session.config import RunMetadata
from minitf.library.formats.summary_protos import protos, shape_proto, tensor_proto

_PRODUCER = 134  # TensorFlow 1.15's version of the format


def graph_proto(graph_def: GraphDef) -> Any:
    """The message of a graph: names, types, inputs, devices and attributes of its nodes."""
    message = protos().GraphDef(node=[_node_proto(node) for node in graph_def.node])
    message.versions.producer = _PRODUCER
    return message


def _node_proto(node: NodeDef) -> Any:
    message = protos().NodeDef(
        name=node.name, op=node.op, input=list(node.input), device=node.device
    )
    for key, value in node.attrs.items():
        if value is not None:
            _fill_attr(message.attr[key], value)
    return message


#: the type of a plain value, its field of an AttrValue, and what that holds; bool is an int, too
_PLAIN: tuple[tuple[Any, str, Callable[[Any], Any]], ...] = (
    ((bool, np.bool_), "b", bool),
    ((int, np.integer), "i", int),
    ((float, np.floating), "f", float),
    (bytes, "s", bytes),
    (DType, "type", lambda dtype: dtype.as_datatype_enum),
)


def _fill_attr(message: Any, value: Any) -> None:
    for kind, field, held in _PLAIN:
        if isinstance(value, kind):
            setattr(message, field, held(value))
            return
    if isinstance(value, (list, tuple)):
        message.list.SetInParent()
        for item in value:
            single = protos().AttrValue()
            _fill_attr(single, item)
            field = single.WhichOneof("value")
            if field in ("shape", "tensor", "func"):
                getattr(message.list, field).add().CopyFrom(getattr(single, field))
            elif field is not None and field != "list":
                getattr(message.list, field).append(getattr(single, field))
    elif isinstance(value, TensorShape):
        message.shape.CopyFrom(shape_proto(None if value.ndims is None else value.as_list()))
    elif isinstance(value, np.ndarray):
        message.tensor.CopyFrom(tensor_proto(value))
    elif isinstance(value, FunctionDef):
        message.func.name = value.name
    elif hasattr(value, "to_function_def"):
        message.func.name = value.to_function_def().name
    else:
        message.s = str(value).encode()


def run_metadata_proto(metadata: RunMetadata) -> Any:
    """The message of what a traced run told: when each node ran, and how much it made."""
    message = protos().RunMetadata()
    for device in metadata.step_stats.dev_stats:
        message.step_stats.dev_stats.add(
            device=device.device, node_stats=[_stats_proto(node) for node in device.node_stats]
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

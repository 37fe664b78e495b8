"""Graphs and traces as TensorBoard's messages, so that it draws them."""

from __future__ import annotations

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
    for key, value in node.attr.items():
        if value is not None:
            _fill_attr(message.attr[key], value)
    return message


def _fill_attr(message: Any, value: Any) -> None:
    if isinstance(value, (list, tuple)):
        message.list.SetInParent()
        for item in value:
            single = protos().AttrValue()
            _fill_attr(single, item)
            kind = single.WhichOneof("value")
            if kind in ("type", "i", "f", "b", "s"):
                getattr(message.list, kind).append(getattr(single, kind))
            elif kind in ("shape", "tensor", "func"):
                getattr(message.list, kind).add().CopyFrom(getattr(single, kind))
    elif isinstance(value, DType):
        message.type = protos().DataType.Value(value.as_datatype_enum)
    elif isinstance(value, TensorShape):
        sizes = None if value.ndims is None else value.as_list()
        message.shape.CopyFrom(shape_proto(sizes))
    elif isinstance(value, (bool, np.bool_)):
        message.b = bool(value)
    elif isinstance(value, (int, np.integer)):
        message.i = int(value)
    elif isinstance(value, (float, np.floating)):
        message.f = float(value)
    elif isinstance(value, (str, bytes)):
        message.s = value.encode() if isinstance(value, str) else value
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


def _stats_proto(node: NodeExecStats) -> Any:
    message = protos().NodeExecStats(
        node_name=node.node_name,
        all_start_micros=node.all_start_micros,
        op_start_rel_micros=node.op_start_rel_micros,
        op_end_rel_micros=node.op_end_rel_micros,
        all_end_rel_micros=node.all_end_rel_micros,
        timeline_label=node.timeline_label,
        thread_id=node.thread_id,
    )
    message.memory.add(allocator_name="cpu", total_bytes=node.output_bytes)
    return message

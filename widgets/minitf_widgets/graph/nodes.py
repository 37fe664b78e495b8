"""A GraphDef read as nodes: names, inputs, devices, and what prints of them.

GraphDef JSON -> read_graph_def -> read_node, one for each operation
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "APPLY",
    "Node",
    "Places",
    "VARIABLES",
    "attr_text",
    "device_key",
    "read_graph_def",
    "read_node",
    "shape_text",
    "short_device",
    "tensor_value",
]

VARIABLES = {"Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable", "TemporaryVariable"}
ASSIGNS = {
    *("Assign", "AssignAdd", "AssignSub"),
    *("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"),
}
KINDS = {
    "variable": VARIABLES,  # what holds a value, not what reads or changes it
    "update": ASSIGNS,
    "input": {"Placeholder", "PlaceholderWithDefault", "PlaceholderV2", "IteratorGetNext", "_Recv"},
    "constant": {"Const"},
    "layer": {
        *("MatMul", "BatchMatMul", "BatchMatMulV2", "Conv2D", "MaxPool", "AvgPool", "BiasAdd"),
        *("Relu", "Relu6", "Elu", "Selu", "Softplus", "Sigmoid", "Tanh", "Softmax", "LogSoftmax"),
        *("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "L2Loss"),
        *("FusedBatchNorm", "FusedBatchNormV3", "DepthwiseConv2dNative", "Einsum"),
    },
    "control": {
        *("NoOp", "Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "If", "While"),
        *("ControlTrigger", "Assert", "PartitionedCall", "StatefulPartitionedCall", "_Send"),
    },
}
KIND_OF_OP = {op: kind for kind, ops in KINDS.items() for op in ops}
DTYPES = {"half": "float16", "float": "float32", "double": "float64"}
APPLY = re.compile(r"^(Resource)?(Sparse)?Apply[A-Z]|^Scatter(Add|Sub|Update)$")
DEVICE_PART = re.compile(
    r"/(?:(job|replica|task):([^/]+)|(?:device:(\w+)|(CPU|GPU|TPU)):(\d+|\*))", re.I
)


@dataclasses.dataclass(frozen=True, eq=False)
class Node:
    """One operation: `inputs` are (op name, output index or -1 for a control input)."""

    name: str
    op: str
    device: str
    inputs: tuple[tuple[str, int], ...]
    attrs: Mapping[str, Any]
    # (dtype name, shape; -1 and None unknown)
    outputs: tuple[tuple[str, tuple[int, ...] | None], ...]

    @property
    def kind(self) -> str:
        """What sort of op it is: variable, input, constant, layer, control, update or math."""
        return "update" if APPLY.match(self.op) else KIND_OF_OP.get(self.op, "math")


def shape_text(shape: tuple[int, ...] | None) -> str:
    """Returns a shape as the wires show it: as a tensor prints it, but for "scalar".

    Example:
      >>> shape_text((-1, 784)), shape_text((10,)), shape_text(()), shape_text(None)
      ('(?, 784)', '(10,)', 'scalar', '')
    """
    if shape is None:
        return ""
    if not shape:
        return "scalar"
    sizes = ["?" if size < 0 else str(size) for size in shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def _device_parts(device: str) -> dict[str, str]:
    """Returns the parts that tell a device from others: job, replica, task, device.

    A process on its own is job "localhost", and a task is replica 0: neither tells anything.
    """
    parts: dict[str, str] = {}
    for key, value, unit, short_unit, number in DEVICE_PART.findall(device):
        parts[key.lower() or "device"] = value or f"{(unit or short_unit).upper()}:{number}"
    if parts.get("job") == "localhost":
        parts = {key: value for key, value in parts.items() if key == "device"}
    if parts.get("replica") == "0":
        del parts["replica"]
    return parts


def device_key(device: str) -> str:
    """Returns the one name for all spellings of a device, or of a request for one.

    Example:
      >>> device_key("/job:localhost/replica:0/task:0/device:CPU:0"), device_key("/cpu:0")
      ('/device:CPU:0', '/device:CPU:0')
      >>> device_key("/job:ps/replica:0/task:1/gpu:0"), device_key("/job:ps/task:1")
      ('/job:ps/task:1/device:GPU:0', '/job:ps/task:1')
    """
    parts = _device_parts(device)
    order = ("job", "replica", "task", "device")
    return "".join(f"/{key}:{parts[key]}" for key in order if key in parts) or device


def short_device(device: str) -> str:
    """Returns a device name as short as it can be told apart.

    Example:
      >>> short_device("/job:ps/replica:0/task:1/device:GPU:0"), short_device("")
      ('ps:1 GPU:0', 'not placed')
    """
    if not device:
        return "not placed"
    parts = _device_parts(device)
    task = ":".join(parts[key] for key in ("job", "task") if key in parts)
    return " ".join(part for part in (task, parts.get("device", "")) if part) or device


class Places:
    """Tells where each op is: the device it ran on, or else the one it asks for.

    A request may be open, such as "/job:ps/task:0". Where only one device of the run meets it, it
    stands for that device, so that no device has two names on one picture.
    """

    def __init__(self, ran: Mapping[str, str]) -> None:
        self._ran = {name: device_key(device) for name, device in ran.items()}
        self._parts = {key: _device_parts(key) for key in set(self._ran.values())}
        self._met: dict[str, str] = {}

    def __call__(self, name: str, asked: str) -> str:
        if name in self._ran:
            return self._ran[name]
        if asked not in self._met:
            wanted = _device_parts(asked).items()
            meet = [key for key, parts in self._parts.items() if wanted <= parts.items()]
            self._met[asked] = meet[0] if wanted and len(meet) == 1 else device_key(asked)
        return self._met[asked]


def read_graph_def(graph: Any) -> dict[str, Any]:
    """Takes a graph in any form and returns its GraphDef as plain JSON data.

    Args:
      graph: something with `as_graph_def()` or `to_json()`, a mapping with "node", or JSON text.
    Returns: {"node": [{"name": ..., "op": ..., "input": [...], ...}, ...]}.
    Raises:
      TypeError: when `graph` is none of these.
    """
    for _ in range(4):
        if isinstance(graph, Mapping) and "node" in graph:
            return dict(graph)
        if isinstance(graph, str):
            graph = json.loads(graph)
        elif hasattr(graph, "as_graph_def"):
            graph = graph.as_graph_def(add_shapes=True, add_types=True)
        elif hasattr(graph, "to_dict"):
            graph = graph.to_dict()
        elif hasattr(graph, "to_json"):
            graph = graph.to_json()
        else:
            break
    raise TypeError(
        f"a graph, a GraphDef, its JSON or a mapping with 'node' is needed, not {type(graph)!r}"
    )


def _shape(attr: Mapping[str, Any]) -> tuple[int, ...] | None:
    shape = attr.get("shape", {})
    if shape.get("unknown_rank") or not isinstance(shape, Mapping):
        return None
    return tuple(int(dim.get("size", -1)) for dim in shape.get("dim", []))


def _dtype(attr: Mapping[str, Any]) -> str:
    return _dtype_name(attr.get("type", ""))


@functools.cache
def _dtype_name(enum: str) -> str:
    """Returns a dtype under the name that Python prints."""
    name, ref, _ = enum.removeprefix("DT_").lower().partition("_ref")
    return DTYPES.get(name, name) + ref


def read_node(data: Mapping[str, Any], place: Places) -> Node:
    """Reads one node of a GraphDef; `place` tells where it is."""
    attrs = dict(data.get("attr", {}))
    shapes = [_shape(a) for a in attrs.pop("_output_shapes", {}).get("list", [])]
    dtypes = [_dtype(a) for a in attrs.pop("_output_types", {}).get("list", [])]
    dtypes += [""] * (len(shapes) - len(dtypes))
    shapes += [None] * (len(dtypes) - len(shapes))
    inputs = []
    for text in data.get("input", []):
        name, _, index = text.partition(":")
        inputs.append((name[1:], -1) if name.startswith("^") else (name, int(index or 0)))
    placed = place(data["name"], data.get("device", ""))
    outputs = tuple(zip(dtypes, shapes))
    return Node(data["name"], data["op"], placed, tuple(inputs), attrs, outputs)


def tensor_value(attr: Mapping[str, Any]) -> np.ndarray | None:
    """Decodes a small numeric tensor attribute; None where it is large, text or unreadable."""
    tensor = attr.get("tensor")
    if not tensor or math.prod(tensor.get("shape", [])) > 16:
        return None
    try:
        dtype = _dtype({"type": tensor.get("dtype", "")})
        values = np.frombuffer(base64.b64decode(tensor["data"]), dtype=dtype)
        return values.reshape(tensor["shape"])
    except (KeyError, TypeError, ValueError):
        return None


def attr_text(attr: Any) -> str:
    """Returns an attribute's value in words short enough for the details panel."""
    if not isinstance(attr, Mapping):
        return str(attr)
    if "type" in attr:
        return _dtype(attr)
    if "shape" in attr:
        shape = _shape(attr)
        return "unknown rank" if shape is None else shape_text(shape)
    if "list" in attr:
        return "[" + ", ".join(map(attr_text, attr["list"])) + "]"
    if "tensor" in attr:
        value = tensor_value(attr)
        if value is not None:
            return " ".join(np.array2string(value, precision=5, separator=", ").split())
        tensor = attr["tensor"]
        name = _dtype({"type": tensor.get("dtype", "")})
        return f"{name} tensor {shape_text(tuple(tensor.get('shape', ())))}"
    if "none" in attr:
        return "None"
    return str(next(iter(attr.values()), ""))

"""TensorFlow's GraphDef as a protocol buffer: its bytes as our `NodeDef`s, and the way back.

    frozen.pb ──decode──> NodeDefs as TensorFlow writes them ──tensorflow_graph.py──> ours
    .meta, saved_model.pb hold such a graph in one of their fields

The messages are small and fixed (messages.py): no package is needed for them. Nodes and their
attributes are written by hand, since a graph has thousands.
A file may come from anyone. What is no message is a `ValueError` that says where; a tensor takes
little more memory than the file has bytes for it, and texts are looked at when it is imported.
"""

from __future__ import annotations

import functools
import itertools
import math
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import ENUM_NUMBERS, DType
from minitf.core.graph.graph_def import FunctionDef, NodeDef, is_uniform
from minitf.core.graph.shapes import TensorShape
from minitf.library.formats import messages, wire

_DTYPES = {number: dtype for dtype, number in ENUM_NUMBERS.items()}
_REFERENCES = 100  # is added to the number of a type for a reference to a variable of it
_MOST_FILLED = 64  # elements of a tensor for each that is written, where these differ
_SHORT, _TENSOR = 64, b"\x42"  # bytes of kept attributes; how an array begins
_PRODUCER = 134  # TensorFlow 1.15's version of the format


@dataclass(frozen=True)
class FunctionName:
    """An attribute that names a function of the graph's library."""

    name: str


@dataclass
class Function:
    """A function of a graph's library.

    Args:
      name: unique in the library.
      inputs, outputs: the types of its arguments, by their names.
      node: its operations; an input is "argument", "node:output_name:0" or "^node".
      returns: what each output is, written as the inputs of nodes are.
      controls: the nodes that run in any case.
    """

    name: str = ""
    inputs: dict[str, DType] = field(default_factory=dict)
    outputs: dict[str, DType] = field(default_factory=dict)
    node: list[NodeDef] = field(default_factory=list)
    returns: dict[str, str] = field(default_factory=dict)
    controls: list[str] = field(default_factory=list)


@dataclass
class GraphMessage:
    """A graph as TensorFlow writes it: attributes are Python values, texts in them bytes."""

    node: list[NodeDef] = field(default_factory=list)
    library: dict[str, Function] = field(default_factory=dict)


# ---- reading -----------------------------------------------------------------------------


def decode(data: bytes) -> GraphMessage:
    """Reads a serialized GraphDef.

    Raises:
      ValueError: when the bytes are none.
    """
    try:
        graph = messages.decode(data, "GraphDef", as_bytes="AttrValue")
        functions = map(_function, graph.get("library", {}).get("function", ()))
        return GraphMessage(
            [*map(_node, graph.get("node", ()))], {each.name: each for each in functions}
        )
    except (ValueError, LookupError, OverflowError, RecursionError) as error:
        raise ValueError(f"Not a GraphDef: {error}") from None


def _node(values: dict[str, Any]) -> NodeDef:
    attrs = {
        key: _short_attr(data) if len(data) < _SHORT and data[:1] != _TENSOR else attr(data)
        for key, data in values.pop("attr", {}).items()
    }
    return NodeDef(**values, attrs=attrs)


def _function(values: dict[str, Any]) -> Function:
    signature = values.get("signature", {})
    inputs, outputs = (
        {arg.get("name", ""): _dtype(arg.get("type", 0)) for arg in signature.get(side, ())}
        for side in ("input_arg", "output_arg")
    )
    return Function(
        signature.get("name", ""),
        inputs,
        outputs,
        [*map(_node, values.get("node_def", ()))],
        values.get("ret", {}),
        [*values.get("control_ret", {}).values()],
    )


def attr(data: bytes) -> Any:
    """The value of an attribute; the last field counts, as in protobuf's own reader."""
    result: Any = None
    for name, value in messages.decode(data, "AttrValue").items():
        if name == "list":
            result = tuple(_READERS[kind](each) for kind, all_ in value.items() for each in all_)
        elif name in _READERS:
            result = _READERS[name](value)
    return result


_short_attr = functools.lru_cache(4096)(attr)  # most attributes stand there often


def _dtype(number: int) -> DType:
    if number > _REFERENCES and number - _REFERENCES in _DTYPES:
        return _DTYPES[number - _REFERENCES]._as_ref
    if number not in _DTYPES:
        raise ValueError(f"type {number} is unknown here")
    return _DTYPES[number]


def shape_of(values: dict[str, Any]) -> TensorShape:
    """The shape in the fields of a TensorShapeProto."""
    if values.get("unknown_rank"):
        return TensorShape(None)
    sizes = [dim.get("size", 0) for dim in values.get("dim", ())]
    return TensorShape([None if size < 0 else size for size in sizes])


#: how a field of an AttrValue, or of a list in one, is read
_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("s", "i", "f", "b"), lambda value: value),
    "type": _dtype,
    "shape": shape_of,
    "tensor": lambda values: _tensor(values),
    "func": lambda values: FunctionName(values["name"]),
}


def tensor(data: bytes) -> np.ndarray:
    """Reads a TensorProto.

    Raises:
      ValueError: when it is none, or has another number of elements than its shape says.
    """
    return _tensor(messages.decode(data, "TensorProto"))


def _tensor(values: dict[str, Any]) -> np.ndarray:
    dtype = _dtype(values["dtype"]) if "dtype" in values else dtypes.float32
    shape = shape_of(values.get("tensor_shape", {}))
    content = values.get("tensor_content")
    if not shape.is_fully_defined():
        raise ValueError(f"a tensor of shape {shape}")
    sizes: tuple[Any, ...] = tuple(shape.as_list())
    numbers = [each for name in values if name in _ELEMENTS for each in values[name]]
    if dtype == dtypes.string:
        texts = [*values.get("string_val", ()), *_texts(content or b"", math.prod(sizes))]
        array = np.empty(len(texts), object)
        array[:] = texts
    elif content is not None:
        array = np.frombuffer(content, dtype.numpy_dtype.newbyteorder("<"))
    elif dtype in (dtypes.float16, dtypes.bfloat16):
        array = np.array(numbers, np.uint16).view(dtype.numpy_dtype)
    elif dtype.is_complex:
        array = np.array(numbers[::2]) + 1j * np.array(numbers[1::2])
    else:
        array = np.array(numbers)
    return _filled(array.astype(dtype.numpy_dtype, copy=False), sizes)


#: the fields of a TensorProto that hold elements one by one
_ELEMENTS = {
    *("float_val", "double_val", "int_val", "scomplex_val", "int64_val", "bool_val"),
    *("dcomplex_val", "half_val", "uint32_val", "uint64_val"),
}


def _texts(content: bytes, count: int) -> list[bytes]:
    """Texts as a tensor keeps them in memory: all their lengths, then all of them."""
    lengths, at = [], 0
    for _ in range(count if content else 0):
        length, at = wire.read_varint(content, at)
        lengths.append(length)
    ends = [*itertools.accumulate(lengths, initial=at)]
    return [content[start:end] for start, end in itertools.pairwise(ends)]


def _filled(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The array in its shape; the last of its elements stands for those that are not written."""
    size = math.prod(shape)
    if not array.size and size:
        array = np.array([b"" if array.dtype == object else 0], array.dtype)
    if array.size == 1 and size > 1:
        filled: np.ndarray = np.broadcast_to(array[0], shape)  # takes no memory, however large
        return filled
    if 1 < array.size < size <= max(_MOST_FILLED * array.size, 1024):
        array = np.concatenate([array, np.repeat(array[-1:], size - array.size)])
    if array.size != size:
        raise ValueError(f"a tensor of {array.size} elements with shape {shape}")
    return array.reshape(shape)


# ---- writing -----------------------------------------------------------------------------


#: what is raised over a node whose attributes or inputs are none
NO_NODE = (AttributeError, IndexError, KeyError, OverflowError, TypeError)


def no_node(node: NodeDef, error: Exception) -> ValueError:
    """What is said of such a node."""
    return ValueError(f"Node '{node.name}' ({node.op}) is no node: {error}.")


def encode(graph: GraphMessage) -> bytes:
    """The bytes of a GraphDef, as TensorFlow reads them.

    Raises:
      ValueError: when an attribute of a node cannot be written.
    """
    functions = [*map(_encode_function, graph.library.values())]
    return messages.encode(
        {
            "node": map(_encode_node, graph.node),
            "versions": {"producer": _PRODUCER},
            "library": {"function": functions} if functions else None,
        },
        "GraphDef",
    )


def _encode_function(function: Function) -> bytes:
    inputs, outputs = (
        [{"name": name, "type": dtype.as_datatype_enum} for name, dtype in ends.items()]
        for ends in (function.inputs, function.outputs)
    )
    controls = {f"control_{i}": node for i, node in enumerate(function.controls)}
    signature = {
        "name": function.name,
        "input_arg": inputs,
        "output_arg": outputs,
        "control_output": controls,
    }
    values = {
        "signature": signature,
        "node_def": map(_encode_node, function.node),
        "ret": function.returns,
        "control_ret": controls,
    }
    return messages.encode(values, "FunctionDef")


def _encode_node(node: NodeDef) -> bytes:
    try:
        return _encoded(node)
    except NO_NODE as error:
        raise no_node(node, error) from None


def _encoded(node: NodeDef) -> bytes:
    parts = [wire.field(1, node.name.encode()), _kind_entry(node.op)]
    parts += [wire.field(3, source.encode()) for source in node.input]
    if node.device:
        parts.append(wire.field(4, node.device.encode()))
    for key, value in node.attrs.items():
        kind = type(value)
        if kind in _REPEATED:  # the same few in all nodes
            parts.append(_attr_entry(key, value, kind.__name__))
        elif key == "_output_shapes":
            parts.append(_shapes_entry(tuple([shape._dims for shape in value])))
        elif key == "_class":
            parts.append(_attr_entry(key, tuple(value), "tuple"))
        else:
            parts.append(_encode_entry(5, key, encode_attr(value)))
    return b"".join(parts)


_REPEATED = {DType, bool, int, str}


@functools.lru_cache(4096)
def _kind_entry(kind: str) -> bytes:
    return wire.field(2, kind.encode())


@functools.lru_cache(4096)
def _attr_entry(key: str, value: Any, kind: str) -> bytes:
    """An attribute of a node; `kind` tells 1 and True apart."""
    return _encode_entry(5, key, encode_attr(value))


@functools.lru_cache(4096)
def _shapes_entry(shapes: tuple[tuple[int | None, ...] | None, ...]) -> bytes:
    return _encode_entry(5, "_output_shapes", encode_attr([*map(TensorShape, shapes)]))


def _encode_entry(number: int, key: str, value: bytes) -> bytes:
    return wire.field(number, wire.field(1, key.encode()) + wire.field(2, value))


def shown_attr(value: Any) -> bytes:
    """One AttrValue; a function is its name, and what is in no field, as None, leaves it empty."""
    with suppress(TypeError):
        return encode_attr(FunctionName(value.name) if isinstance(value, FunctionDef) else value)
    return b""


def encode_attr(value: Any) -> bytes:
    """One AttrValue."""
    if isinstance(value, (list, tuple)):
        return wire.field(1, b"".join(_encode_plain(each) for each in value))
    return _encode_plain(value)


def _encode_plain(value: Any) -> bytes:
    if isinstance(value, (bytes, str)):
        return wire.field(2, value.encode() if isinstance(value, str) else value)
    if isinstance(value, (bool, np.bool_)):
        return wire.varint(5 << 3) + wire.varint(int(value))
    if isinstance(value, (int, np.integer)):
        return wire.varint(3 << 3) + wire.varint(int(value))
    if isinstance(value, (float, np.floating)):
        return wire.fixed32(4, int.from_bytes(struct.pack("<f", value), "little"))
    if isinstance(value, DType):
        return wire.field(6, value.as_datatype_enum)
    if isinstance(value, TensorShape):
        return wire.field(7, encode_shape(value))
    if isinstance(value, np.ndarray):
        return wire.field(8, encode_tensor(value))
    if isinstance(value, FunctionName):
        return wire.field(10, messages.encode({"name": value.name}, "NameAttrList"))
    raise TypeError(f"An attribute of a GraphDef cannot hold {value!r}.")


def encode_shape(shape: TensorShape) -> bytes:
    """A TensorShapeProto."""
    if shape.ndims is None:
        return wire.field(3, 1)
    return _encode_sizes(tuple(shape.as_list()))


@functools.lru_cache(4096)
def _encode_sizes(sizes: tuple[int | None, ...]) -> bytes:
    written = (wire.field(1, -1 if size is None else size) for size in sizes)
    return b"".join(wire.field(2, each) for each in written)


def encode_tensor(array: np.ndarray) -> bytes:
    """A TensorProto; equal elements are written once."""
    head, wanted, kept = _tensor_head(array.dtype, array.shape)
    if wanted.hasobject:
        return head + b"".join(wire.field(8, bytes(each)) for each in array.ravel())
    if kept is not None and (array.size == 1 or is_uniform(array)):
        number, form = kept
        one = array.reshape(-1)[:1].astype(wanted, copy=False)
        return head + wire.field(
            number, one.tobytes() if form is None else wire.varint(int(one.view(form)[0]))
        )
    return head + wire.field(4, np.ascontiguousarray(array, wanted).tobytes())


def encode_whole_tensor(value: Any) -> bytes:
    """A TensorProto with the bytes of all elements."""
    array = np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)
    head, wanted, _ = _tensor_head(array.dtype, array.shape)
    if wanted.hasobject:
        return encode_tensor(array)
    return (
        head
        if not array.size
        else head + wire.field(4, np.ascontiguousarray(array, wanted).tobytes())
    )


@functools.lru_cache(4096)
def _tensor_head(kind: np.dtype, sizes: tuple[int, ...]) -> tuple[bytes, np.dtype, Any]:
    """How a TensorProto begins, the type of its bytes, and its place in `_SINGLE`."""
    dtype = dtypes.as_dtype(kind)
    head = wire.field(1, dtype.as_datatype_enum) + wire.field(2, _encode_sizes(sizes))
    return head, kind.newbyteorder("<"), _SINGLE.get(dtype)


#: how a single element is written that stands for all: in which field, and as a varint of what
_SINGLE: dict[DType, tuple[int, Any]] = {
    dtypes.float32: (5, None),
    dtypes.float64: (6, None),
    **dict.fromkeys((dtypes.float16, dtypes.bfloat16), (13, "<u2")),
    dtypes.bool: (11, "u1"),
    dtypes.int64: (10, "<i8"),
    **{t: (7, t.numpy_dtype) for t in (dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint8)},
}

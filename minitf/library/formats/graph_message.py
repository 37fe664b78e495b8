"""TensorFlow's GraphDef as a protocol buffer: its bytes as our `NodeDef`s, and the way back.

    frozen.pb ──decode──> NodeDefs as TensorFlow writes them ──tensorflow_graph.py──> ours
    .meta, saved_model.pb hold such a graph in one of their fields

The messages are small and fixed, so they are read by hand (wire.py): no package is needed for it.
A file may come from anyone. What is no message is a `ValueError` that says where; a tensor takes
little more memory than the file has bytes for it, and texts are looked at when it is imported.
"""

from __future__ import annotations

import functools
import itertools
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.attr_value import NameAttrList
from minitf.core.graph.dtypes import ENUM_NUMBERS, DType
from minitf.core.graph.graph_def import NodeDef, is_uniform
from minitf.core.graph.shapes import TensorShape
from minitf.library.formats import wire

_DTYPES = {number: dtype for dtype, number in ENUM_NUMBERS.items()}
_REFERENCES = 100  # is added to the number of a type for a reference to a variable of it
_MOST_FILLED = 64  # elements of a tensor for each that is written, where these differ
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
        graph = GraphMessage()
        for number, value in wire.fields(data):
            if number == 1:
                graph.node.append(_node(wire.message_of(value)))
            elif number == 2:
                for each in _all(wire.message_of(value), 1):
                    function = _function(each)
                    graph.library[function.name] = function
        return graph
    except (ValueError, LookupError, OverflowError, RecursionError) as error:
        raise ValueError(f"Not a GraphDef: {error}") from None


def _all(data: bytes, wanted: int) -> list[bytes]:
    return [wire.message_of(value) for number, value in wire.fields(data) if number == wanted]


def _entry(value: int | bytes) -> tuple[str, bytes]:
    """An entry of a map from text."""
    found = dict(wire.fields(wire.message_of(value)))
    return wire.text_of(found.get(1, b"")), wire.message_of(found.get(2, b""))


def _node(data: bytes) -> NodeDef:
    node = NodeDef()
    for number, value in wire.fields(data):
        if number == 1:
            node.name = wire.text_of(value)
        elif number == 2:
            node.op = wire.text_of(value)
        elif number == 3:
            node.input.append(wire.text_of(value))
        elif number == 4:
            node.device = wire.text_of(value)
        elif number == 5:
            key, attr = _entry(value)
            node.attrs[key] = _attr(attr)
    return node


def _function(data: bytes) -> Function:
    function = Function()
    for number, value in wire.fields(data):
        if number == 1:
            for part, each in wire.fields(wire.message_of(value)):
                if part == 1:
                    function.name = wire.text_of(each)
                elif part in (2, 3):
                    ends = function.inputs if part == 2 else function.outputs
                    told = dict(wire.fields(wire.message_of(each)))
                    ends[wire.text_of(told.get(1, b""))] = _dtype(told.get(3, 0))
        elif number == 3:
            function.node.append(_node(wire.message_of(value)))
        elif number == 4:
            key, source = _entry(value)
            function.returns[key] = source.decode()
        elif number == 6:
            function.controls.append(_entry(value)[1].decode())
    return function


def _attr(data: bytes) -> Any:
    """The value of an attribute; the last field counts, as in protobuf's own reader."""
    result: Any = None
    for number, value in wire.fields(data):
        if number == 1:
            result = _list(wire.message_of(value))
        elif number in _READERS:
            result = _READERS[number](value)
    return result


def _list(data: bytes) -> tuple[Any, ...]:
    items: list[Any] = []
    for number, value in wire.fields(data):
        read = _READERS.get(number)
        if read is None:
            continue
        if isinstance(value, bytes) and number in _PACKED:
            items += [read(each) for each in _unpacked(value, _PACKED[number])]
        else:
            items.append(read(value))
    return tuple(items)


def _unpacked(data: bytes, size: int) -> list[int]:
    """Numbers that stand one after the other: of `size` bytes each, 0 for varints."""
    if size and len(data) % size:
        raise ValueError("the data end within a number")
    return wire.unpacked(data, size)


def _number(value: int | bytes) -> int:
    return wire.signed(wire.number_of(value))


def _dtype(value: int | bytes) -> DType:
    number = _number(value)
    if number > _REFERENCES and number - _REFERENCES in _DTYPES:
        return _DTYPES[number - _REFERENCES]._as_ref
    if number not in _DTYPES:
        raise ValueError(f"type {number} is unknown here")
    return _DTYPES[number]


def shape_of(value: int | bytes) -> TensorShape:
    """Reads a TensorShapeProto."""
    sizes: list[int | None] = []
    for number, each in wire.fields(wire.message_of(value)):
        if number == 2:
            size = wire.signed(int(dict(wire.fields(wire.message_of(each))).get(1, 0)))
            sizes.append(None if size < 0 else size)
        elif number == 3 and each:
            return TensorShape(None)
    return TensorShape(sizes)


def _float(value: int | bytes) -> float:
    number: float = struct.unpack("<f", _number(value).to_bytes(4, "little"))[0]
    return number


#: how a field of an AttrValue, or of a list in one, is read
_READERS: dict[int, Callable[[Any], Any]] = {
    2: wire.message_of,
    3: _number,
    4: _float,
    5: lambda value: bool(_number(value)),
    6: _dtype,
    7: shape_of,
    8: lambda value: tensor(wire.message_of(value)),
    9: lambda value: FunctionName(wire.text_of(_all(wire.message_of(value), 1)[0])),
    10: lambda value: FunctionName(wire.text_of(_all(wire.message_of(value), 1)[0])),
}
_PACKED = {3: 0, 4: 4, 5: 0, 6: 0}  # the lists of numbers, with the bytes of each number

#: the fields of a TensorProto that hold numbers: the bytes of each (0: varints), and their type
_VALUES: dict[int, tuple[int, Any]] = {
    5: (4, "<f4"),
    6: (8, "<f8"),
    7: (0, None),
    9: (4, "<f4"),
    10: (0, None),
    11: (0, None),
    12: (8, "<f8"),
    13: (0, None),
    16: (0, None),
    17: (0, None),
}


def tensor(data: bytes) -> np.ndarray:
    """Reads a TensorProto.

    Raises:
      ValueError: when it is none, or has another number of elements than its shape says.
    """
    dtype, shape, content = dtypes.float32, TensorShape([]), None
    numbers: list[Any] = []
    texts: list[bytes] = []
    for number, value in wire.fields(data):
        if number == 1:
            dtype = _dtype(value)
        elif number == 2:
            shape = shape_of(value)
        elif number == 4:
            content = wire.message_of(value)
        elif number == 8:
            texts.append(wire.message_of(value))
        elif number in _VALUES:
            numbers += _numbers(value, *_VALUES[number])
    sizes = [size for size in shape.as_list() if size is not None] if shape.ndims else []
    if not shape.is_fully_defined():
        raise ValueError(f"a tensor of shape {shape}")
    if dtype == dtypes.string:
        texts += _texts(content or b"", math.prod(sizes))
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
    return _filled(array.astype(dtype.numpy_dtype, copy=False), tuple(sizes))


def _texts(content: bytes, count: int) -> list[bytes]:
    """Texts as a tensor keeps them in memory: all their lengths, then all of them."""
    lengths, at = [], 0
    for _ in range(count if content else 0):
        length, at = wire.read_varint(content, at)
        lengths.append(length)
    ends = [*itertools.accumulate(lengths, initial=at)]
    return [content[start:end] for start, end in itertools.pairwise(ends)]


def _numbers(value: int | bytes, size: int, kind: str | None) -> list[Any]:
    if isinstance(value, int):  # a single one, not packed
        value = value.to_bytes(size, "little") if size else wire.varint(value)
    if kind is not None:
        found: list[Any] = np.frombuffer(value, kind).tolist()
        return found
    return [wire.signed(number) for number in wire.unpacked(value, 0)]


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
    nodes = b"".join(wire.field(1, _encode_node(node)) for node in graph.node)
    library = b"".join(wire.field(1, _encode_function(each)) for each in graph.library.values())
    return (
        nodes
        + wire.field(4, wire.field(1, _PRODUCER))
        + (wire.field(2, library) if library else b"")
    )


def _encode_function(function: Function) -> bytes:
    signature = [wire.field(1, function.name.encode())]
    for number, ends in ((2, function.inputs), (3, function.outputs)):
        for name, dtype in ends.items():
            end = wire.field(1, name.encode()) + wire.field(3, dtype.as_datatype_enum)
            signature.append(wire.field(number, end))
    signature += [wire.field(20, f"control_{i}".encode()) for i in range(len(function.controls))]
    nodes = (wire.field(3, _encode_node(node)) for node in function.node)
    controls = (
        wire.field(6, wire.field(1, f"control_{i}".encode()) + wire.field(2, node.encode()))
        for i, node in enumerate(function.controls)
    )
    returns = (_encode_entry(4, k, source.encode()) for k, source in function.returns.items())
    return b"".join([wire.field(1, b"".join(signature)), *nodes, *returns, *controls])


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
        return wire.field(10, encode_function_name(value.name, {}))
    if isinstance(value, NameAttrList):
        return wire.field(10, value.SerializeToString())
    raise TypeError(f"An attribute of a GraphDef cannot hold {value!r}.")


def encode_function_name(name: str, attrs: dict[str, Any]) -> bytes:
    """A NameAttrList."""
    entries = [
        wire.field(1, key.encode()) + wire.field(2, encode_attr(value))
        for key, value in attrs.items()
    ]
    start = wire.field(1, name.encode()) if name else b""
    return start + b"".join(wire.field(2, entry) for entry in entries)


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

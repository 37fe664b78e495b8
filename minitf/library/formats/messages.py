"""TensorFlow's messages, dictionaries here: what their fields are, their bytes, and their text.

    bytes ──decode──> {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": 1}}}
          <──encode──

    bytes ──to_text──> node {                          the form of `.pbtxt` files, and of
                         name: "x"                     `tf.train.write_graph(..., as_text=True)`
                         op: "Placeholder"
                       }

`_SCHEMA` says for each message what its fields are called, which numbers they have on the wire
(wire.py), and what they hold; protobuf_messages.py makes classes of the package `protobuf` of it,
which read texts. A field that the table lacks is skipped in both directions.
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph.dtypes import ENUM_NAMES
from minitf.library.formats import wire

#: "field=number:kind"; "*" in place of ":" where there are several. `map/K` is an entry from text.
_SCHEMA = """
ArgDef name=1:string description=2:string type=3:type type_attr=4:string number_attr=5:string type_list_attr=6:string is_ref=16:bool
AssetFileDef tensor_info=1:TensorInfo filename=2:string
AttrValue list=1:ListValue s=2:bytes i=3:int f=4:float b=5:bool type=6:type shape=7:TensorShapeProto tensor=8:TensorProto placeholder=9:string func=10:NameAttrList
BundleEntry dtype=1:int shape=2:TensorShapeProto shard_id=3:int offset=4:int size=5:int crc32c=6:fixed32 slices=7*TensorSlice
BundleHeader num_shards=1:int endianness=2:int version=3:VersionDef
BytesList value=1*bytes
CollectionDef node_list=1:NodeList bytes_list=2:BytesList int64_list=3:Int64List float_list=4:FloatList
CooSparse values_tensor_name=1:string indices_tensor_name=2:string dense_shape_tensor_name=3:string
Dim size=1:int name=2:string
Example features=1:Features
Feature bytes_list=1:BytesList float_list=2:FloatList int64_list=3:Int64List
Features feature=1*map/Feature
Extent start=1:int length=2:int
FloatList value=1*float
FunctionDef signature=1:OpDef node_def=3*NodeDef ret=4*map/string attr=5*map/AttrValue control_ret=6*map/string
FunctionDefLibrary function=1*FunctionDef gradient=2*GradientDef
GradientDef function_name=1:string gradient_func=2:string
GraphDef node=1*NodeDef library=2:FunctionDefLibrary version=3:int versions=4:VersionDef
Int64List value=1*int
ListValue s=2*bytes i=3*int f=4*float b=5*bool type=6*type shape=7*TensorShapeProto tensor=8*TensorProto func=9*NameAttrList
MetaGraphDef meta_info_def=1:MetaInfoDef graph_def=2:GraphDef saver_def=3:SaverDef collection_def=4*map/CollectionDef signature_def=5*map/SignatureDef asset_file_def=6*AssetFileDef
MetaInfoDef meta_graph_version=1:string tags=4*string tensorflow_version=5:string tensorflow_git_version=6:string stripped_default_attrs=7:bool
NameAttrList name=1:string attr=2*map/AttrValue
NodeDef name=1:string op=2:string input=3*string device=4:string attr=5*map/AttrValue
NodeList value=1*string
ObjectReference node_id=1:int local_name=2:string
OpDef name=1:string input_arg=2*ArgDef output_arg=3*ArgDef summary=5:string description=6:string is_stateful=17:bool control_output=20*string
QueueRunnerDef queue_name=1:string enqueue_op_name=2*string close_op_name=3:string cancel_op_name=4:string queue_closed_exception_types=5*int
SaveSliceInfo full_name=1:string full_shape=2*int var_offset=3*int var_shape=4*int
SavedModel saved_model_schema_version=1:int meta_graphs=2*MetaGraphDef
SaverDef filename_tensor_name=1:string save_tensor_name=2:string restore_op_name=3:string max_to_keep=4:int sharded=5:bool keep_checkpoint_every_n_hours=6:float version=7:version
SerializedTensor name=1:string full_name=2:string checkpoint_key=3:string
SignatureDef inputs=1*map/TensorInfo outputs=2*map/TensorInfo method_name=3:string
SlotVariableReference original_variable_node_id=1:int slot_name=2:string slot_variable_node_id=3:int
TensorInfo name=1:string dtype=2:type tensor_shape=3:TensorShapeProto coo_sparse=4:CooSparse
TensorProto dtype=1:type tensor_shape=2:TensorShapeProto version_number=3:int tensor_content=4:bytes float_val=5*float double_val=6*double int_val=7*int string_val=8*bytes scomplex_val=9*float int64_val=10*int bool_val=11*bool dcomplex_val=12*double half_val=13*int uint32_val=16*int uint64_val=17*uint
TensorShapeProto dim=2*Dim unknown_rank=3:bool
TensorSlice extent=1*Extent
TrackableObject children=1*ObjectReference attributes=2*SerializedTensor slot_variables=3*SlotVariableReference
TrackableObjectGraph nodes=1*TrackableObject
VariableDef variable_name=1:string initializer_name=2:string snapshot_name=3:string save_slice_info_def=4:SaveSliceInfo is_resource=5:bool initial_value_name=6:string trainable=7:bool
VersionDef producer=1:int min_consumer=2:int bad_consumers=3*int
"""  # noqa: E501
MESSAGES = [line.partition(" ")[0] for line in _SCHEMA.strip().splitlines()]
#: the bytes of each number on the wire, 0 for varints; and how `struct` calls those of a fixed size
NUMBERS = {"int": 0, "uint": 0, "bool": 0, "type": 0, "version": 0}
NUMBERS |= {"float": 4, "fixed32": 4, "double": 8}
FORMS = {"float": "<f", "fixed32": "<I", "double": "<d"}


class Field(NamedTuple):
    """A field of a message; `kind` is a number's or a text's, or the name of another message."""

    name: str
    number: int
    kind: str
    repeated: bool


@functools.cache
def fields_of(message: str) -> dict[str, Field]:
    """The fields of a message, by name."""
    if message.startswith("map/"):
        kind = message.removeprefix("map/")
        return {"key": Field("key", 1, "string", False), "value": Field("value", 2, kind, False)}
    line = re.search(f"^{message} (.*)$", _SCHEMA, re.MULTILINE)
    assert line is not None
    found = re.findall(r"(\w+)=(\d+)([:*])(\S+)", line[1])
    return {name: Field(name, int(n), kind, mark == "*") for name, n, mark, kind in found}


@functools.cache
def by_number(message: str) -> dict[int, Field]:
    """The fields of a message, by their numbers on the wire."""
    return {field.number: field for field in fields_of(message).values()}


# ---- reading -----------------------------------------------------------------------------


def decode(data: bytes, message: str, as_bytes: str = "") -> dict[str, Any]:
    """The fields of a message that are there, the last of them last.

    Args:
      data: its bytes.
      message: what it is, as "GraphDef".
      as_bytes: a message that stays as it is, where it is a field.
    Raises:
      ValueError: when the data are no such message.
    """
    known = by_number(message)
    found: dict[str, Any] = {}
    value: Any
    for number, value in wire.fields(data):
        field = known.get(number)
        if field is None:
            continue
        name, _, kind, repeated = field
        if kind in NUMBERS:
            value = _numbers(kind, value, repeated)
        elif isinstance(value, int):
            raise ValueError("a number in place of a message")
        elif kind == "string":
            value = value.decode()
        elif kind.startswith("map/"):
            entry = decode(value, kind, as_bytes)
            kind = kind.removeprefix("map/")
            empty: Any = "" if kind == "string" else b"" if kind == as_bytes else {}
            found.setdefault(name, {})[entry.get("key", "")] = entry.get("value", empty)
            continue
        elif kind not in ("bytes", as_bytes):
            value = decode(value, kind, as_bytes)
        if not repeated:
            found.pop(name, None)
            found[name] = value
        elif kind in NUMBERS:
            found.setdefault(name, []).extend(value)
        else:
            found.setdefault(name, []).append(value)
    return found


def _numbers(kind: str, value: int | bytes, repeated: bool) -> Any:
    """The number of a field, or those that it holds where there may be several."""
    size = NUMBERS[kind]
    if not repeated and not isinstance(value, int):
        raise ValueError("a message in place of a number")
    if size:
        if isinstance(value, int) and value >> 8 * size:
            raise ValueError("a number of more bytes than its field has")
        data = value.to_bytes(size, "little") if isinstance(value, int) else value
        if len(data) % size:
            raise ValueError("the data end within a number")
        numbers = np.frombuffer(data, FORMS[kind]).tolist()
    else:
        varints = [value] if isinstance(value, int) else wire.unpacked(value, 0)
        made = bool if kind == "bool" else wire.signed
        numbers = [made(each) for each in varints]
    return numbers if repeated else numbers[0]


# ---- writing -----------------------------------------------------------------------------


def encode(values: Mapping[str, Any], message: str) -> bytes:
    """The bytes of a message.

    Args:
      values: its fields by name; a message among them as its bytes or its fields. Empty numbers and
        texts are left out, and so is what the message has no field for.
      message: what it is, as "GraphDef".
    """
    parts = []
    for name, number, kind, repeated in fields_of(message).values():
        value = values.get(name)
        if value is None:
            continue
        if kind.startswith("map/"):
            entries = ({"key": key, "value": each} for key, each in value.items())
            parts += [wire.field(number, encode(entry, kind)) for entry in entries]
        elif repeated and kind in NUMBERS:
            if value:
                parts.append(wire.field(number, b"".join(_number(kind, each) for each in value)))
        elif repeated:
            parts += [wire.field(number, _data(each, kind)) for each in value]
        elif kind not in NUMBERS:
            data = _data(value, kind)
            if data or kind not in ("string", "bytes"):
                parts.append(wire.field(number, data))
        elif value:
            wire_kind = {0: 0, 4: 5, 8: 1}[NUMBERS[kind]]
            parts.append(wire.varint(number << 3 | wire_kind) + _number(kind, value))
    return b"".join(parts)


def _data(value: Any, kind: str) -> bytes:
    """A text or a message as bytes."""
    if isinstance(value, bytes):
        return value
    return value.encode() if kind in ("string", "bytes") else encode(value, kind)


def _number(kind: str, value: Any) -> bytes:
    return struct.pack(FORMS[kind], value) if kind in FORMS else wire.varint(int(value))


ENUMS = {
    "type": ENUM_NAMES,
    "version": {0: "LEGACY", 1: "V1", 2: "V2"},
}
_SHORT = 256  # bytes: of messages so long the lines are kept


def is_text(data: bytes) -> bool:
    """Whether the data are a message as text: they begin with the name of a field."""
    found = re.match(rb"(?:\s|#[^\n]*+\n)*+([a-z_]+)\s*[:{<]", data)
    kinds = ("GraphDef", "MetaGraphDef", "SavedModel")
    return found is not None and any(found[1].decode() in fields_of(kind) for kind in kinds)


# ---- bytes to text -----------------------------------------------------------------------


def to_text(data: bytes, message: str) -> str:
    """The text of a message.

    Args:
      data: its bytes.
      message: what it is, as "GraphDef".
    Raises:
      ValueError: when the bytes are no such message.
    """
    return _text(data, message, "")


def _text(data: bytes, message: str, indent: str) -> str:
    known, found = by_number(message), []
    for number, value in wire.fields(data):
        field = known.get(number)
        if field is not None:
            found.append((number, _written(field, value, indent)))
    if message == "NodeDef":  # attributes by their names, which come first in their texts
        found.sort(key=lambda each: each if each[0] == 5 else each[:1])
    return "".join([text for _, text in found])


_short_text = functools.lru_cache(maxsize=1024)(_text)  # most attributes stand there often


def _written(field: Field, value: int | bytes, indent: str) -> str:
    """The lines of what one field on the wire holds: several values, where they are packed."""
    name, kind = field.name, field.kind
    if kind in NUMBERS:
        numbers = wire.unpacked(value, NUMBERS[kind]) if isinstance(value, bytes) else [value]
        return "".join([f"{indent}{name}: {_number_text(kind, each)}\n" for each in numbers])
    if isinstance(value, int):
        raise ValueError("a number in place of a message")
    if kind in ("string", "bytes"):
        return f'{indent}{name}: "{_escaped(value)}"\n'
    text = _short_text if len(value) < _SHORT else _text
    return f"{indent}{name} {{\n{text(value, kind, indent + '  ')}{indent}}}\n"


def _number_text(kind: str, number: int) -> str:
    if kind in FORMS:
        value = _numbers(kind, number, repeated=False)
        return f"{value:.9g}" if kind == "float" else repr(value)
    if kind == "bool":
        return "true" if number else "false"
    return ENUMS.get(kind, {}).get(number, str(number if kind == "uint" else wire.signed(number)))


_ESCAPED = {byte: f"\\{byte:03o}" for byte in range(256) if not 32 <= byte < 127}
_ESCAPED |= {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _escaped(data: bytes) -> str:
    return data.decode("latin-1").translate(_ESCAPED)

"""MetaGraphs and SavedModels of TensorFlow's own files, as our messages.

    model.meta, saved_model.pb ──read──> MetaGraphDef, SavedModel ──> import_meta_graph, load

A message of ours knows its fields by name, one of TensorFlow by number: `_NUMBERS` has both.
"""

from __future__ import annotations

import copy
import struct
import types
import typing
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import ENUM_NAMES
from minitf.core.graph.graph_def import GraphDef
from minitf.core.graph.messages import Message
from minitf.core.graph.shapes import TensorShape
from minitf.core.variables.variable_def import SaveSliceInfo, VariableDef
from minitf.library.formats import graph_message, wire
from minitf.library.formats.graph_message import encode_shape, shape_of
from minitf.library.input.queues.runner import QueueRunnerDef
from minitf.library.saving.meta_messages import (
    AssetFileDef,
    CollectionDef,
    CooSparse,
    MetaGraphDef,
    MetaInfoDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
)
from minitf.library.saving.saver_builder import SaverDef
from minitf.library.saving.tensorflow_graph import read_graph
from minitf.library.saving.tensorflow_writing import to_message

Read = TypeVar("Read", bound=Message)

_NUMBERS: dict[type, dict[int, str]] = {
    AssetFileDef: {1: "tensor_info", 2: "filename"},
    MetaGraphDef: {
        1: "meta_info_def",
        2: "graph_def",
        3: "saver_def",
        4: "collection_def",
        5: "signature_def",
        6: "asset_file_def",
    },
    MetaInfoDef: {1: "meta_graph_version", 4: "tags"},
    QueueRunnerDef: {
        1: "queue_name",
        2: "enqueue_op_name",
        3: "close_op_name",
        4: "cancel_op_name",
        5: "queue_closed_exception_types",
    },
    SaveSliceInfo: {1: "full_name", 2: "full_shape", 3: "var_offset", 4: "var_shape"},
    SavedModel: {1: "saved_model_schema_version", 2: "meta_graphs"},
    SaverDef: {
        1: "filename_tensor_name",
        2: "save_tensor_name",
        3: "restore_op_name",
        4: "max_to_keep",
        5: "sharded",
        6: "keep_checkpoint_every_n_hours",
        7: "version",
    },
    SignatureDef: {1: "inputs", 2: "outputs", 3: "method_name"},
    CooSparse: {1: "values_tensor_name", 2: "indices_tensor_name", 3: "dense_shape_tensor_name"},
    TensorInfo: {1: "name", 2: "dtype", 3: "tensor_shape", 4: "coo_sparse"},
    VariableDef: {
        1: "variable_name",
        2: "initializer_name",
        3: "snapshot_name",
        4: "save_slice_info_def",
        5: "is_resource",
        6: "initial_value_name",
        7: "trainable",
    },
}
_PLACES = {kind: {n: number for number, n in names.items()} for kind, names in _NUMBERS.items()}


def read_tensorflow(data: bytes, kind: type[Read], objects: Mapping[str, type[Message]]) -> Read:
    """Reads a message that TensorFlow has serialized.

    Args:
      data: its bytes.
      kind: what it is.
      objects: the messages that the objects of a collection are, by the collection.
    Raises:
      ValueError: when the bytes are no such message.
    """
    try:
        return _message(data, kind, objects)
    except (struct.error, UnicodeDecodeError, RecursionError, TypeError) as error:
        raise ValueError(f"not a {kind.__name__} ({error})") from None


def _message(data: Any, kind: type[Read], objects: Mapping[str, type[Message]]) -> Read:
    names, hints = _NUMBERS[kind], typing.get_type_hints(kind)
    found: dict[str, Any] = {}
    value: Any  # a number or bytes, by the field
    for number, value in wire.fields(data):
        name = names.get(number)
        if name is None:  # what TensorFlow knows and nobody here asks for
            continue
        hint = hints[name]
        origin = typing.get_origin(hint)
        if origin is types.UnionType:
            hint, origin = typing.get_args(hint)[0], typing.get_origin(typing.get_args(hint)[0])
        if kind is TensorInfo and name in ("dtype", "tensor_shape"):
            found[name] = ENUM_NAMES.get(value, "") if name == "dtype" else _sizes(shape_of(value))
        elif origin is list:
            found.setdefault(name, []).extend(_items(value, typing.get_args(hint)[0], objects))
        elif origin is dict:
            entry: dict[int, Any] = dict(wire.fields(value))
            key = bytes(entry.get(1, b"")).decode()
            inner = typing.get_args(hint)[1]
            reader = _collection if inner is CollectionDef else _named
            found.setdefault(name, {})[key] = reader(key, entry.get(2, b""), inner, objects)
        else:
            (found[name],) = _items(value, hint, objects)
    read = kind(**found)
    if isinstance(read, MetaGraphDef):
        _forget_what_is_gone(read)
    return read


def _sizes(shape: TensorShape) -> list[int | None] | None:
    return None if shape.ndims is None else shape.as_list()


def _forget_what_is_gone(meta_graph: MetaGraphDef) -> None:
    """Takes names out of collections whose nodes were left out, or stand in a function now.

    With them go the collections that describe switches and merges, which became `If` and `While`.
    """
    for key in ("cond_context", "while_context"):
        meta_graph.collection_def.pop(key, None)
    there = {node.name for node in meta_graph.graph_def.node}
    for collection in meta_graph.collection_def.values():
        collection.nodes = [each for each in collection.nodes if each.partition(":")[0] in there]


def _named(key: str, data: bytes, kind: type[Message], objects: Mapping[str, Any]) -> Message:
    return _message(data, kind, objects)


def _items(value: Any, hint: Any, objects: Mapping[str, type[Message]]) -> list[Any]:
    """The values of a field: one, or several numbers that are packed."""
    if hint is str:
        return [value.decode()]
    if hint is GraphDef:
        return [read_graph(value)]
    if hint is float:
        return [struct.unpack("<f", value.to_bytes(4, "little"))[0]]
    if hint in (int, bool):
        numbers = wire.unpacked(value, 0) if isinstance(value, bytes) else [value]
        return [hint(wire.signed(number)) for number in numbers]
    return [_message(value, hint, objects)]


def _collection(
    key: str, given: bytes, kind: type[Message], objects: Mapping[str, type[Message]]
) -> CollectionDef:
    """A collection; its objects, which TensorFlow keeps as bytes, are read as what they are."""
    collection = CollectionDef()
    for number, lists in wire.fields(given):
        value: Any
        for _, value in wire.fields(lists):  # type: ignore[arg-type]
            if number == 1:
                collection.nodes.append(value.decode())
            elif number == 2 and key in objects:
                collection.objects.append(_message(value, objects[key], objects).to_dict())
            elif number == 2:
                collection.texts.append(value.decode(errors="replace"))
            elif number == 3:
                collection.ints += _items(value, int, objects)
            elif number == 4:
                data = value if isinstance(value, bytes) else value.to_bytes(4, "little")
                collection.floats += np.frombuffer(data, "<f4").tolist()
    return collection


# ---- writing -----------------------------------------------------------------------------


def write_tensorflow(
    message: Message, objects: Mapping[str, type[Message]], left_out: dict[str, str] | None = None
) -> bytes:
    """A message as TensorFlow reads it.

    Args:
      message: the message.
      objects: the messages that the objects of a collection are, by the collection.
      left_out: gets the nodes that have no equal in TensorFlow, with the reason; see `to_message`.
    Raises:
      ValueError: when there are such nodes and `left_out` is None, or one of them is asked for.
    """
    if isinstance(message, TensorInfo):
        dtype, sizes, sparse = message.dtype, message.tensor_shape, message.coo_sparse
        shape = TensorShape(None if getattr(sizes, "unknown_rank", False) else sizes)
        return (
            wire.field(1, message.name.encode() if message.name else b"")
            + (wire.field(2, dtypes.as_dtype(dtype).as_datatype_enum) if dtype else b"")
            + wire.field(3, encode_shape(shape))
            + (wire.field(4, write_tensorflow(sparse, objects)) if sparse else b"")
        )
    parts, numbers = [], dict(_PLACES[type(message)])
    if isinstance(message, MetaGraphDef):  # first, since it says what the others may name
        known = {} if left_out is None else left_out
        graph = graph_message.encode(to_message(message.graph_def, left_out))
        parts.append(wire.field(numbers.pop("graph_def"), graph))
        message = _without(message, known)
    for name, number in numbers.items():
        value = getattr(message, name)
        if isinstance(value, str):  # most of a variable's
            parts.append(wire.field(number, value.encode()) if value else b"")
        elif name == "is_resource":  # here such a variable is like any other
            continue
        elif isinstance(value, dict):
            for key, each in value.items():
                data = (
                    _written_collection(key, each, objects)
                    if isinstance(each, CollectionDef)
                    else write_tensorflow(each, objects, left_out)
                )
                entry = wire.field(1, key.encode()) + wire.field(2, data)
                parts.append(wire.field(number, entry) if data else b"")
        elif isinstance(value, list):
            parts.append(_written_list(number, value, objects, left_out))
        elif isinstance(value, float):
            parts.append(wire.fixed32(number, int.from_bytes(struct.pack("<f", value), "little")))
        elif value:
            parts.append(_written_list(number, [value], objects, left_out))
    return b"".join(parts)


def _written_list(number: int, values: list, objects: Any, left_out: Any) -> bytes:
    if values and isinstance(values[0], int):
        if len(values) == 1:
            return wire.varint(number << 3) + wire.varint(int(values[0]))
        return wire.field(number, b"".join(wire.varint(value) for value in values))
    data = (
        value.encode() if isinstance(value, str) else write_tensorflow(value, objects, left_out)
        for value in values
    )
    return b"".join(wire.field(number, each) for each in data)


def _written_collection(
    key: str, collection: CollectionDef, objects: Mapping[str, type[Message]]
) -> bytes:
    texts = [text.encode() for text in collection.texts]
    if key in objects:
        kind = objects[key]
        texts += [write_tensorflow(kind.from_dict(o), objects) for o in collection.objects]
    floats = np.array(collection.floats, "<f4").tobytes()
    ints = b"".join(wire.varint(value) for value in collection.ints)
    lists = {
        1: b"".join(wire.field(1, name.encode()) for name in collection.nodes),
        2: b"".join(wire.field(1, text) for text in texts),
        3: wire.field(1, ints) if ints else b"",
        4: wire.field(1, floats) if floats else b"",
    }
    return b"".join(wire.field(number, data) for number, data in lists.items() if data)


def _without(meta_graph: MetaGraphDef, gone: Mapping[str, str]) -> MetaGraphDef:
    """A MetaGraph whose collections name nothing that is left out.

    Raises:
      ValueError: when a signature or the saver needs it.
    """
    asked = [
        info.name
        for signature in meta_graph.signature_def.values()
        for info in (*signature.inputs.values(), *signature.outputs.values())
    ]
    if meta_graph.saver_def is not None:
        asked += [meta_graph.saver_def.save_tensor_name, meta_graph.saver_def.restore_op_name]
    for name in asked:
        if name.partition(":")[0] in gone:
            raise ValueError(gone[name.partition(":")[0]])

    def there(value: Any) -> bool:
        return not isinstance(value, str) or value.partition(":")[0] not in gone

    kept = copy.copy(meta_graph)
    kept.collection_def = {
        key: replace(
            collection,
            nodes=[name for name in collection.nodes if there(name)],
            objects=[each for each in collection.objects if all(map(there, each.values()))],
        )
        for key, collection in meta_graph.collection_def.items()
    }
    return kept

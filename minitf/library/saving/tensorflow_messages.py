"""MetaGraphs and SavedModels of TensorFlow's own files, as our messages.

    model.meta, saved_model.pb ──read──> MetaGraphDef, SavedModel ──> import_meta_graph, load

A message of ours knows its fields by name, one of TensorFlow by number: `_NUMBERS` has both.
"""

from __future__ import annotations

import struct
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from minitf.core.graph.dtypes import ENUM_NUMBERS
from minitf.core.graph.graph_def import GraphDef
from minitf.core.graph.messages import Message
from minitf.core.graph.shapes import TensorShape
from minitf.core.variables.variable_def import SaveSliceInfo, VariableDef
from minitf.library.formats import wire
from minitf.library.formats.graph_message import shape_of, varints
from minitf.library.input.queues.runner import QueueRunnerDef
from minitf.library.saving.meta_messages import (
    AssetFileDef,
    CollectionDef,
    MetaGraphDef,
    MetaInfoDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
)
from minitf.library.saving.saver_builder import SaverDef
from minitf.library.saving.tensorflow_graph import read_graph

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
    TensorInfo: {1: "name", 2: "dtype", 3: "tensor_shape"},
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
_ENUMS = {number: dtype.as_datatype_enum for dtype, number in ENUM_NUMBERS.items()}


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
        if kind is TensorInfo and name != "name":
            found[name] = _ENUMS[value] if name == "dtype" else _sizes(shape_of(value))
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
    """Takes names out of collections whose nodes were left out, or stand in a function now."""
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
        numbers = varints(value) if isinstance(value, bytes) else [value]
        return [hint(wire.signed(number)) for number in numbers]
    return [_message(value, hint, objects)]


def _collection(
    key: str, data: bytes, kind: type[Message], objects: Mapping[str, type[Message]]
) -> CollectionDef:
    """A collection; its objects, which TensorFlow keeps as bytes, are read as what they are."""
    collection = CollectionDef()
    for number, lists in wire.fields(data):
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
    return collection

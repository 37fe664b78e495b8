"""`tf.train.Example` and its kin: protocol buffers, built here from their fields, without protoc.

    Example ── Features ── map name -> Feature ── one of BytesList, FloatList, Int64List
    SequenceExample ── context: Features,  feature_lists: map name -> list of Feature
    TensorProto ── dtype, shape, and the bytes of the elements or lists of them

They are real messages of the package `protobuf` (in the extra `data`), and their bytes are
TensorFlow's. `load()` imports the package when the first one is asked for.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np

#: message: {field: type}, with the numbers 1, 2, 3 ..., or {field: (number, type)}. A type in a
#: list is repeated, one in a dict is the value of a map, whose keys are strings.
MESSAGES: dict[str, dict[str, Any]] = {
    "BytesList": {"value": ["TYPE_BYTES"]},
    "FloatList": {"value": ["TYPE_FLOAT"]},
    "Int64List": {"value": ["TYPE_INT64"]},
    "Feature": {"bytes_list": "BytesList", "float_list": "FloatList", "int64_list": "Int64List"},
    "FeatureList": {"feature": ["Feature"]},
    "Features": {"feature": {"FeatureEntry": "Feature"}},
    "FeatureLists": {"feature_list": {"FeatureListEntry": "FeatureList"}},
    "Example": {"features": "Features"},
    "SequenceExample": {"context": "Features", "feature_lists": "FeatureLists"},
    "TensorShapeDim": {"size": "TYPE_INT64", "name": "TYPE_STRING"},
    "TensorShapeProto": {"dim": (2, ["TensorShapeDim"]), "unknown_rank": (3, "TYPE_BOOL")},
    "TensorProto": {
        "dtype": (1, "TYPE_INT32"),  # an enum elsewhere, and the same on the wire
        "tensor_shape": (2, "TensorShapeProto"),
        "tensor_content": (4, "TYPE_BYTES"),
        "float_val": (5, ["TYPE_FLOAT"]),
        "double_val": (6, ["TYPE_DOUBLE"]),
        "int_val": (7, ["TYPE_INT32"]),
        "string_val": (8, ["TYPE_BYTES"]),
        "scomplex_val": (9, ["TYPE_FLOAT"]),
        "int64_val": (10, ["TYPE_INT64"]),
        "bool_val": (11, ["TYPE_BOOL"]),
        "dcomplex_val": (12, ["TYPE_DOUBLE"]),
        "half_val": (13, ["TYPE_INT32"]),
        "uint32_val": (16, ["TYPE_UINT32"]),
        "uint64_val": (17, ["TYPE_UINT64"]),
    },
}
#: the messages of `tf.train`
NAMES = tuple(name for name in MESSAGES if not name.startswith("Tensor"))


@functools.cache
def load() -> SimpleNamespace:
    """The message classes, by name.

    Raises:
      ImportError: when protobuf is not installed.
    Example:
      >>> proto = load()
      >>> ints = proto.Feature(int64_list=proto.Int64List(value=[1, 2]))
      >>> example = proto.Example(features=proto.Features(feature={"age": ints}))
      >>> len(example.SerializeToString())
      17
    """
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        raise ImportError(
            "tf.train.Example needs the package protobuf: pip install 'minitf[data]'."
        ) from None
    file = _describe(descriptor_pb2)
    pool = descriptor_pool.DescriptorPool()  # of its own: TensorFlow may be in this process, too
    pool.AddSerializedFile(file.SerializeToString())
    found = {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{name}"))
        for name in MESSAGES
    }
    _take_booleans(found["Int64List"])
    return SimpleNamespace(**found)


def _take_booleans(kind: Any) -> None:
    """Lets a list of integers be made of Booleans, too, as it was before protobuf 7."""
    original = kind.__init__

    def made(self: Any, *, value: Any = None) -> None:
        given = () if value is None else value
        original(self, value=[int(v) if isinstance(v, (bool, np.bool_)) else v for v in given])

    kind.__init__ = made


def _describe(pb2: Any) -> Any:
    """The description of the messages, as protoc would make it of a .proto file."""
    kinds = pb2.FieldDescriptorProto
    file = pb2.FileDescriptorProto(
        name="minitf/example.proto", package="tensorflow", syntax="proto3"
    )

    def field(message: Any, name: str, number: int, kind: Any) -> Any:
        repeated = isinstance(kind, list | dict)
        added = message.field.add(name=name, number=number)
        added.label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
        if isinstance(kind, dict):  # a map is a list of messages, each a key and a value
            ((entry_name, value_kind),) = kind.items()
            entry = message.nested_type.add(name=entry_name)
            entry.options.map_entry = True
            field(entry, "key", 1, "TYPE_STRING")
            field(entry, "value", 2, value_kind)
            kind = f"{message.name}.{entry_name}"
        kind = kind[0] if isinstance(kind, list) else kind
        if kind.startswith("TYPE_"):
            added.type = getattr(kinds, kind)
        else:
            added.type, added.type_name = kinds.TYPE_MESSAGE, f".tensorflow.{kind}"
        return added

    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        if name == "Feature":  # it has one of its fields
            message.oneof_decl.add(name="kind")
        for place, (own, kind) in enumerate(fields.items(), 1):
            number, kind = kind if isinstance(kind, tuple) else (place, kind)
            added = field(message, own, number, kind)
            if message.oneof_decl:
                added.oneof_index = 0
    return file


def __getattr__(name: str) -> Any:
    """The messages by name, for the stubs of the public API."""
    if name in NAMES:
        return getattr(load(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

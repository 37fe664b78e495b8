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

_LISTS = {  # message: the type of its repeated field `value`; numbers are packed
    "BytesList": "TYPE_BYTES",
    "FloatList": "TYPE_FLOAT",
    "Int64List": "TYPE_INT64",
}
_KINDS = {"bytes_list": "BytesList", "float_list": "FloatList", "int64_list": "Int64List"}
_MAPS = {  # message: (its map field, the type of the values)
    "Features": ("feature", "Feature"),
    "FeatureLists": ("feature_list", "FeatureList"),
}
_PLAIN = {  # message: {field: type}
    "Example": {"features": "Features"},
    "SequenceExample": {"context": "Features", "feature_lists": "FeatureLists"},
}
_NUMBERED: dict[
    str, dict[str, tuple[int, Any]]
] = {  # message: {field: (number, type)}; types in a list are repeated
    "TensorShapeDim": {"size": (1, "TYPE_INT64"), "name": (2, "TYPE_STRING")},
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
NAMES = (*_LISTS, "Feature", "FeatureList", *_MAPS, *_PLAIN)


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
    return SimpleNamespace(
        **{
            name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{name}"))
            for name in (*NAMES, *_NUMBERED)
        }
    )


def _describe(pb2: Any) -> Any:
    """The description of the messages, as protoc would make it of a .proto file."""
    kinds = pb2.FieldDescriptorProto
    file = pb2.FileDescriptorProto(
        name="minitf/example.proto", package="tensorflow", syntax="proto3"
    )

    def field(message: Any, name: str, number: int, kind: str, repeated: bool = False) -> Any:
        added = message.field.add(name=name, number=number)
        added.label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
        if kind.startswith("TYPE_"):
            added.type = getattr(kinds, kind)
        else:
            added.type = kinds.TYPE_MESSAGE
            added.type_name = f".tensorflow.{kind}"
        return added

    for name, kind in _LISTS.items():
        value = field(file.message_type.add(name=name), "value", 1, kind, repeated=True)
        if kind != "TYPE_BYTES":
            value.options.packed = True
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, (name, kind) in enumerate(_KINDS.items(), 1):
        field(feature, name, number, kind).oneof_index = 0
    field(file.message_type.add(name="FeatureList"), "feature", 1, "Feature", repeated=True)
    for name, (map_field, kind) in _MAPS.items():
        message = file.message_type.add(name=name)
        entry_name = "".join(part.capitalize() for part in map_field.split("_")) + "Entry"
        entry = message.nested_type.add(name=entry_name)
        entry.options.map_entry = True
        field(entry, "key", 1, "TYPE_STRING")
        field(entry, "value", 2, kind)
        field(message, map_field, 1, f"{name}.{entry_name}", repeated=True)
    for name, fields in _PLAIN.items():
        message = file.message_type.add(name=name)
        for number, (own, kind) in enumerate(fields.items(), 1):
            field(message, own, number, kind)
    for name, numbered in _NUMBERED.items():
        message = file.message_type.add(name=name)
        for own, (number, kind) in numbered.items():
            repeated = isinstance(kind, list)
            field(message, own, number, kind[0] if isinstance(kind, list) else kind, repeated)
    return file


def __getattr__(name: str) -> Any:
    """The messages by name, for the stubs of the face."""
    if name in NAMES:
        return getattr(load(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

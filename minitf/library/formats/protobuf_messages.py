"""Messages of the package `protobuf`, without protoc: `tf.train.Example` and its kin, and texts.

    Example ── Features ── map name -> Feature ── one of BytesList, FloatList, Int64List

    node {                 ──from_text──> bytes        the forms of `.pbtxt` files
      name: "x"  ...

The package (in the extra `data`) makes the classes of the table in messages.py, when the first one
is asked for. Their bytes are TensorFlow's.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np

from minitf.library.formats.messages import ENUMS, MESSAGES, NUMBERS, Field, fields_of

#: the messages of `tf.train`
NAMES = ("BytesList", "FloatList", "Int64List", "Feature", "Features", "Example")


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
            "tf.train.Example and graphs as texts need the package protobuf: "
            "pip install 'minitf[data]'."
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


def from_text(text: str, message: str) -> bytes:
    """The bytes of a message in protobuf's text form; fields that it has not are skipped.

    Args:
      text: the message.
      message: what it is, as "GraphDef".
    Raises:
      ValueError: when the text is no such message.
    """
    kind = getattr(load(), message)
    from google.protobuf import text_format

    try:
        read = text_format.Parse(text, kind(), allow_unknown_field=True)
    except (text_format.ParseError, RecursionError) as error:
        raise ValueError(f"not a {message} in text: {error}") from None
    data: bytes = read.SerializeToString(deterministic=True)
    return data


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
        name="minitf/messages.proto", package="tensorflow", syntax="proto3"
    )
    for kind, names in ENUMS.items():
        enum = file.enum_type.add(name=kind)
        for number, name in sorted({0: "DT_INVALID", **names}.items()):
            enum.value.add(name=name, number=number)

    def add(message: Any, field: Field) -> Any:
        kind = field.kind
        added = message.field.add(name=field.name, number=field.number)
        added.label = kinds.LABEL_REPEATED if field.repeated else kinds.LABEL_OPTIONAL
        if kind.startswith("map/"):  # a map is a list of messages, each a key and a value
            entry_name = "".join(part.capitalize() for part in f"{field.name}_entry".split("_"))
            entry = message.nested_type.add(name=entry_name)
            entry.options.map_entry = True
            for part in fields_of(kind).values():
                add(entry, part)
            kind = f"{message.name}.{entry_name}"
        if kind in ENUMS:
            added.type, added.type_name = kinds.TYPE_ENUM, f".tensorflow.{kind}"
        elif kind in (*NUMBERS, "bytes", "string"):
            added.type = getattr(kinds, _TYPES.get(kind) or f"TYPE_{kind.upper()}")
        else:
            added.type, added.type_name = kinds.TYPE_MESSAGE, f".tensorflow.{kind}"
        return added

    for name in MESSAGES:
        message = file.message_type.add(name=name)
        if name in ("AttrValue", "Feature"):  # these have one of their fields
            message.oneof_decl.add(name="kind")
        for field in fields_of(name).values():
            added = add(message, field)
            if message.oneof_decl:
                added.oneof_index = 0
    return file


_TYPES = {"int": "TYPE_INT64", "uint": "TYPE_UINT64"}


def __getattr__(name: str) -> Any:
    """The messages by name, for the stubs of the public API."""
    if name in NAMES:
        return getattr(load(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

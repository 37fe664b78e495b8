"""The objects of a saved model of TensorFlow 2: what hangs on what, and which functions there are.

    nodes                                     functions
    0 an object ──"v"──> 1 a variable         "__inference_f_1": what it takes and gives,
                └─"f"──> 2 a function ──────>                    and the nodes that it captures

It is the part `object_graph_def` of a `MetaGraphDef`. The variables' values are in the checkpoint
beside it, which has the same objects under the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph.dtypes import ENUM_NUMBERS, DType
from minitf.core.graph.shapes import TensorShape
from minitf.library.formats import wire
from minitf.library.formats.graph_message import encode_shape, shape_of
from minitf.library.saving import structured_values

#: the kinds of objects, by the number of their field
_KINDS = {
    4: "user_object",
    5: "asset",
    6: "function",
    7: "variable",
    8: "bare_concrete_function",
    9: "constant",
    10: "resource",
    12: "captured_tensor",
}
_NUMBERS = {kind: number for number, kind in _KINDS.items()}
_DTYPES = {number: dtype for dtype, number in ENUM_NUMBERS.items()}


@dataclass
class SavedNode:
    """One object.

    Args:
      kind: what it is, as "variable".
      children: by name the numbers of the objects that hang on it.
      text: of an object of a class its identifier, of a constant its node, of a variable its name,
        of a function without a program its name, of a resource its device.
      index: of an asset, which file.
      dtype, shape, trainable: of a variable.
      functions: of a function the names of its graphs.
      spec: of a function, what its Python function takes, as `FullArgSpec`.
      input_signature: of a function; None when it has none.
      is_method: whether the first argument is the object.
      keywords: of a function without a program the names of its arguments.
      positional: how many of them may come without a name.
      slots: of an optimizer: (number of the variable, name of the slot, number of the slot).
    """

    kind: str = "user_object"
    children: dict[str, int] = field(default_factory=dict)
    text: str = ""
    index: int = 0
    dtype: DType | None = None
    shape: TensorShape | None = None
    trainable: bool = False
    functions: list[str] = field(default_factory=list)
    spec: Any = None
    input_signature: Any = None
    is_method: bool = False
    keywords: list[str] = field(default_factory=list)
    positional: int = 0
    slots: list[tuple[int, str, int]] = field(default_factory=list)


@dataclass
class SavedFunction:
    """A graph of the library as a function.

    Args:
      bound: the numbers of the objects that its last arguments are.
      inputs: (arguments, keyword arguments), with specs for tensors.
      outputs: its results, with specs for tensors.
    """

    bound: list[int] = field(default_factory=list)
    inputs: Any = ((), {})
    outputs: Any = None


@dataclass
class SavedObjects:
    """All of them.

    Args:
      nodes: the objects; the first is the root.
      functions: by the names in the graph's library.
    """

    nodes: list[SavedNode] = field(default_factory=list)
    functions: dict[str, SavedFunction] = field(default_factory=dict)

    # ---- writing ---------------------------------------------------------------------------

    def encode(self) -> bytes:
        """The bytes of a `SavedObjectGraph`."""
        nodes = [wire.field(1, _encode_node(node)) for node in self.nodes]
        entries = (
            wire.field(1, name.encode()) + wire.field(2, _encode_function(each))
            for name, each in self.functions.items()
        )
        return b"".join([*nodes, *(wire.field(2, entry) for entry in entries)])

    # ---- reading ---------------------------------------------------------------------------

    @staticmethod
    def decode(data: bytes) -> SavedObjects:
        """Reads a `SavedObjectGraph`.

        Raises:
          ValueError: when the data are none, or it names objects that are not there.
        """
        found = SavedObjects()
        try:
            for number, value in wire.fields(data):
                if number == 1:
                    found.nodes.append(_decode_node(wire.message_of(value)))
                elif number == 2:
                    entry = dict(wire.fields(wire.message_of(value)))
                    name = wire.text_of(entry.get(1, b""))
                    found.functions[name] = _decode_function(wire.message_of(entry.get(2, b"")))
        except (TypeError, LookupError, OverflowError, UnicodeDecodeError) as error:
            raise ValueError(f"not the objects of a saved model: {error}") from None
        numbers = [n for node in found.nodes for n in node.children.values()]
        numbers += [n for node in found.nodes for v, _, slot in node.slots for n in (v, slot)]
        numbers += [n for each in found.functions.values() for n in each.bound]
        if not found.nodes or any(wire.number_of(n) >= len(found.nodes) for n in numbers):
            raise ValueError("an object of a saved model that is not there")
        return found


def _encode_node(node: SavedNode) -> bytes:
    parts = [
        wire.field(1, wire.field(1, number) + wire.field(2, name.encode()))
        for name, number in node.children.items()
    ]
    for variable, name, slot in node.slots:
        slot_of = wire.field(1, variable) + wire.field(2, name.encode()) + wire.field(3, slot)
        parts.append(wire.field(3, slot_of))
    version = wire.field(1, 1) + wire.field(2, 1)
    content = b""
    if node.kind == "user_object":
        content = wire.field(1, node.text.encode()) + wire.field(2, version)
    elif node.kind == "asset":
        content = wire.field(1, node.index)
    elif node.kind == "constant":
        content = wire.field(1, node.text.encode())
    elif node.kind == "variable":
        assert node.dtype is not None and node.shape is not None
        content = (
            wire.field(1, node.dtype.as_datatype_enum)
            + wire.field(2, encode_shape(node.shape))
            + wire.field(3, int(node.trainable))
            + wire.field(6, node.text.encode())
        )
    elif node.kind == "function":
        names = b"".join(wire.field(1, name.encode()) for name in node.functions)
        content = names + wire.field(2, _encode_spec(node))
    elif node.kind == "bare_concrete_function":
        words = b"".join(wire.field(2, word.encode()) for word in node.keywords)
        content = wire.field(1, node.text.encode()) + words + wire.field(3, node.positional)
    return b"".join([*parts, wire.field(_NUMBERS[node.kind], content)])


def _encode_spec(node: SavedNode) -> bytes:
    signature = structured_values.encode(node.input_signature)
    return (
        wire.field(1, structured_values.encode(node.spec))
        + wire.field(2, int(node.is_method))
        + wire.field(5, signature)
    )


def _encode_function(function: SavedFunction) -> bytes:
    bound = b"".join(wire.varint(number) for number in function.bound)
    return (
        (wire.field(2, bound) if bound else b"")
        + wire.field(3, structured_values.encode(function.inputs))
        + wire.field(4, structured_values.encode(function.outputs))
    )


def _decode_node(data: bytes) -> SavedNode:
    node = SavedNode()
    for number, value in wire.fields(data):
        if number in (1, 3):
            parts: dict[int, Any] = dict(wire.fields(wire.message_of(value)))
            name = wire.text_of(parts.get(2, b""))
            if number == 1:
                node.children[name] = parts.get(1, 0)
            else:
                node.slots.append((parts.get(1, 0), name, parts.get(3, 0)))
        elif number in _KINDS:
            node.kind = _KINDS[number]
            _READERS.get(node.kind, _read_text)(node, wire.fields(wire.message_of(value)))
    return node


def _read_text(node: SavedNode, fields: list[tuple[int, Any]]) -> None:
    node.text = next((wire.text_of(value) for number, value in fields if number == 1), "")


def _read_asset(node: SavedNode, fields: list[tuple[int, Any]]) -> None:
    node.index = wire.number_of(dict(fields).get(1, 0))


def _read_variable(node: SavedNode, fields: list[tuple[int, Any]]) -> None:
    parts = dict(fields)
    node.dtype, node.shape = _DTYPES[parts.get(1, 0)], shape_of(parts.get(2, b""))
    node.trainable, node.text = bool(parts.get(3, 0)), wire.text_of(parts.get(6, b""))


def _read_function(node: SavedNode, fields: list[tuple[int, Any]]) -> None:
    for number, value in fields:
        if number == 1:
            node.functions.append(wire.text_of(value))
        elif number == 2:
            parts = dict(wire.fields(wire.message_of(value)))
            node.spec = structured_values.decode(wire.message_of(parts.get(1, b"")))
            node.is_method = bool(parts.get(2, 0))
            node.input_signature = structured_values.decode(wire.message_of(parts.get(5, b"")))


def _read_bare(node: SavedNode, fields: list[tuple[int, Any]]) -> None:
    node.text = wire.text_of(dict(fields).get(1, b""))
    node.keywords = [wire.text_of(value) for number, value in fields if number == 2]
    node.positional = dict(fields).get(3, 0)


_READERS: dict[str, Any] = {
    "asset": _read_asset,
    "variable": _read_variable,
    "function": _read_function,
    "bare_concrete_function": _read_bare,
}


def _decode_function(data: bytes) -> SavedFunction:
    function = SavedFunction()
    for number, value in wire.fields(data):
        if number == 2:
            function.bound += wire.unpacked(value, 0) if isinstance(value, bytes) else [value]
        elif number == 3:
            function.inputs = structured_values.decode(wire.message_of(value))
        elif number == 4:
            function.outputs = structured_values.decode(wire.message_of(value))
    return function

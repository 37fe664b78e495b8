"""GraphDef: a graph as data; importer.py makes a graph of one.

    Graph --as_graph_def()--> GraphDef --to_json()--> text
    Graph <--import_graph_def-- GraphDef <--from_json-- text

The JSON has the layout of TensorFlow's protobuf in its JSON form: `{"node": [{"name", "op",
"input", "device", "attr"}]}`. It cannot run code: `untrusted` checks every text in it before it is
used, so a graph may come from anyone. (Its operations may read and write files when they run, see
docs/security.md.)
"""

from __future__ import annotations

import base64
import json
import math
import reprlib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, untrusted
from minitf.core.graph.attr_value import AttrMap, kind_of
from minitf.core.graph.dtypes import DType
from minitf.core.graph.messages import Message, Repeated, tensorflows_form
from minitf.core.graph.shapes import TensorShape


@dataclass(init=False)
class NodeDef(Message):
    """One operation as data.

    Args:
      name: unique in its graph.
      op: the type.
      input: "a" (its output 0), "a:1", or "^a" for a control input.
      device: the device asked for; "" when open.
      attrs: Python values: DType, TensorShape, int, float, bool, str, None, ndarray, or lists of
        them.
      attr: the same as `AttrValue`s.
    """

    name: str
    op: str
    input: list[str]
    device: str
    attrs: dict[str, Any]

    def __init__(
        self,
        name: str = "",
        op: str = "",
        input: Sequence[str] = (),
        device: str = "",
        attrs: dict[str, Any] | None = None,
        attr: Mapping[str, Any] | None = None,
    ) -> None:
        self.name, self.op, self.input, self.device = name, op, list(input), device
        self._plain = {} if attrs is None else attrs
        self._given: dict[str, tuple[Any, bytes]] = {}
        for key, message in (attr or {}).items():
            self._plain[key] = tensorflows_form().plain_attr(message)

    @property  # type: ignore[no-redef]
    def attrs(self) -> dict[str, Any]:
        """The attributes as plain values."""
        if self._given:
            self.attr.take_back()
        return self._plain

    @attrs.setter
    def attrs(self, attrs: dict[str, Any]) -> None:
        self._plain, self._given = attrs, {}

    @property
    def attr(self) -> AttrMap:
        """The attributes as messages, which a program may change: `node.attr["T"].type = 1`."""
        return AttrMap(self._plain, self._given)

    @property
    def data_inputs(self) -> list[str]:
        """The inputs that are tensors."""
        return [source for source in self.input if source[:1] != "^"]

    @property
    def control_inputs(self) -> list[str]:
        """The inputs that are operations to wait for, as "^a"."""
        return [source for source in self.input if source[:1] == "^"]

    def to_dict(self) -> dict:
        """The JSON form."""
        return {
            "name": self.name,
            "op": self.op,
            "input": list(self.input),
            "device": self.device,
            "attr": {key: encode_attr(value) for key, value in self.attrs.items()},
        }

    @staticmethod
    def from_dict(data: dict) -> NodeDef:
        """Reads the JSON form.

        Raises:
          ValueError: when it is not one.
        """
        try:
            attr = {key: decode_attr(value) for key, value in data.get("attr", {}).items()}
            return NodeDef(
                untrusted.text(data["name"], "The name of a node"),
                untrusted.text(data["op"], "The type of a node"),
                untrusted.listed(data.get("input", []), "The inputs of a node"),
                untrusted.text(data.get("device", ""), "The device of a node"),
                attr,
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"Not a NodeDef: {error!r} in {reprlib.repr(data)}") from None

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, NodeDef) and self.to_dict() == other.to_dict()

    def ClearField(self, field_name: str) -> None:
        """Gives a field its default; see `Message`."""
        super().ClearField("attrs" if field_name == "attr" else field_name)

    def __str__(self) -> str:
        lines = [f'name: "{self.name}"', f'op: "{self.op}"']
        lines += [f'input: "{i}"' for i in self.input]
        if self.device:
            lines.append(f'device: "{self.device}"')
        for key in sorted(self.attrs):
            lines.append(f'attr {{\n  key: "{key}"\n  value {{')
            text = tensorflows_form().attr_text(self.attrs[key])
            lines += ["    " + line for line in text.splitlines()]
            lines.append("  }\n}")
        return "\n".join(lines) + "\n"


@dataclass
class FunctionDef:
    """The body of a loop, a branch or a function as data; an attribute of the node that runs it.

    Args:
      name: what it is for.
      node: its operations.
      inputs, outputs: the names of the tensors, as 'x:0'.
      captured: how many of the inputs, the last ones, stand for tensors of the graph around.
    """

    name: str
    node: list[NodeDef]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    captured: int = 0

    def to_dict(self) -> dict:
        """The JSON form."""
        return {
            "signature": {
                "name": self.name,
                "input_arg": list(self.inputs),
                "captured": self.captured,
            },
            "node_def": [n.to_dict() for n in self.node],
            "ret": list(self.outputs),
        }

    @staticmethod
    def from_dict(data: dict) -> FunctionDef:
        """Reads the JSON form.

        Raises:
          ValueError: when it is not one.
        """
        try:
            signature = data["signature"]
            inputs = untrusted.listed(signature["input_arg"], "The inputs of a function")
            return FunctionDef(
                untrusted.text(signature["name"], "The name of a function"),
                [NodeDef.from_dict(n) for n in data["node_def"]],
                tuple(inputs),
                tuple(untrusted.listed(data["ret"], "The outputs of a function")),
                untrusted.whole(
                    signature["captured"], "The number of captured inputs", 0, len(inputs)
                ),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"Not a FunctionDef: {error!r} in {reprlib.repr(data)}") from None


@dataclass
class VersionDef(Message):
    """The versions of a graph's format; kept, but not used."""

    producer: int = 0
    min_consumer: int = 0


@dataclass
class FunctionDefLibrary(Message):
    """Always empty: functions are attributes of the nodes that run them."""

    function: list = field(default_factory=list)


@dataclass
class GraphDef(Message):
    """A graph as data: its nodes, in the order they were made.

    Args:
      node: the nodes.
    Example:
      >>> _ = tf.add(1, 2, name="c")
      >>> [node.name for node in tf.get_default_graph().as_graph_def().node]
      ['c/x', 'c/y', 'c']
    """

    node: list[NodeDef] = field(default_factory=list)
    versions: VersionDef = field(default_factory=VersionDef)
    library: FunctionDefLibrary = field(default_factory=FunctionDefLibrary)

    def __post_init__(self) -> None:
        self.node = Repeated(NodeDef, self.node)

    def to_dict(self) -> dict:
        """The JSON form as plain dicts and lists."""
        return {"versions": {"producer": 1}, "node": [n.to_dict() for n in self.node]}

    def to_json(self, indent: int | None = None) -> str:
        """The JSON form as text."""
        return json.dumps(self.to_dict(), indent=indent)

    @staticmethod
    def from_dict(data: dict) -> GraphDef:
        """Reads the JSON form.

        Raises:
          ValueError: when it is not one.
        """
        if not isinstance(data, dict) or not isinstance(data.get("node", []), list):
            raise ValueError("Not a GraphDef: it has no list of nodes.")
        return GraphDef([NodeDef.from_dict(n) for n in data.get("node", [])])

    @staticmethod
    def from_json(text: str | bytes) -> GraphDef:
        """Reads the JSON text.

        Raises:
          ValueError: when it is not one.
        """
        try:
            return GraphDef.from_dict(json.loads(text))
        except RecursionError:
            raise ValueError("Not a GraphDef: it is nested too deeply.") from None

    def SerializeToString(self) -> bytes:
        """The bytes that TensorFlow reads; JSON if it lacks one of the operations."""
        try:
            data: bytes = tensorflows_form().write_graph(self)
            return data
        except ValueError:
            return self.to_json().encode()

    @staticmethod
    def FromString(data: bytes) -> GraphDef:
        """Reads a serialized graph: JSON, or TensorFlow's format.

        Raises:
          ValueError: when it is none.
        """
        if data[:1] == b"{":
            return GraphDef.from_json(data)
        found: GraphDef = tensorflows_form().read_graph(data)
        return found


# ---- attributes --------------------------------------------------------------------------


def encode_attr(value: Any) -> dict:
    """One attribute's JSON form: a dict whose one key is the kind.

    Raises:
      TypeError: when the value cannot be serialized.
    """
    kind = kind_of(value)
    return {"none": True} if kind is None else {kind: _FORMS[kind][0](value)}


def _encode_function(value: Any) -> dict:
    if isinstance(value, FunctionDef):
        return value.to_dict()
    if hasattr(value, "to_function_def"):
        return value.to_function_def().to_dict()
    raise TypeError(f"An attribute cannot hold {value!r} of type {type(value).__name__}.")


def _encode_array(array: np.ndarray) -> dict:
    dtype = dtypes.as_dtype(array.dtype)
    form: dict[str, Any] = {"dtype": dtype.enum_name, "shape": list(array.shape)}
    if dtype == dtypes.string:
        form["strings"] = [base64.b64encode(v).decode() for v in array.ravel()]
    else:
        data = np.ascontiguousarray(array)
        if is_uniform(data):  # the zeros that variables start with: one number says it all
            data = data.reshape(-1)[:1]
        form["data"] = base64.b64encode(data.tobytes()).decode()
    return form


def is_uniform(array: np.ndarray) -> bool:
    """Whether all elements are the same, bit by bit."""
    if array.size < 2:
        return False
    words = array.reshape(-1).view(f"u{min(array.itemsize, 8)}").reshape(array.size, -1)
    return bool((words[-1] == words[0]).all() and (words == words[0]).all())


def decode_attr(form: dict) -> Any:
    """Reads one attribute's JSON form; lists become tuples.

    Raises:
      ValueError: when the kind is unknown, or the value is of another.
    """
    if isinstance(form, dict) and len(form) == 1:
        kind, value = next(iter(form.items()))
        if kind in _FORMS:
            return _FORMS[kind][1](value)
        if kind == "none":
            return None
    raise ValueError(f"Not an attribute: {reprlib.repr(form)}")


def _decode_dtype(name: Any) -> DType:
    """The type of a name in a GraphDef."""
    return dtypes.from_datatype_enum(untrusted.text(name, "A type"))


def _decode_size(value: Any, what: str) -> int:
    return untrusted.whole(value, what, -1)


def _decode_shape(form: Any) -> TensorShape:
    if not isinstance(form, dict) or not isinstance(form.get("dim", []), list):
        raise ValueError(f"Not a shape: {reprlib.repr(form)}")
    if untrusted.truth(form.get("unknown_rank", False), "An unknown rank"):
        return TensorShape(None)
    sizes = [_decode_size(d["size"], "The size of a dimension") for d in form.get("dim", [])]
    return TensorShape([None if size == -1 else size for size in sizes])


def _decode_float(value: Any) -> float:
    if type(value) is float:
        return value
    return float(untrusted.whole(value, "An attribute", -untrusted.LARGEST - 1))


def _decode_array(form: Any) -> np.ndarray:
    dtype = _decode_dtype(form["dtype"])
    shape = tuple(untrusted.listed(form["shape"], "The shape of a tensor", _decode_size))
    if dtype == dtypes.string:
        array = np.empty(len(form["strings"]), dtype=object)
        array[:] = [base64.b64decode(v) for v in form["strings"]]
    else:
        array = np.frombuffer(base64.b64decode(form["data"]), dtype=dtype.as_numpy_dtype)
    uniform = array.size == 1 and dtype != dtypes.string and shape and min(shape) > 0
    if uniform:
        array = np.broadcast_to(array, shape)  # takes no memory, whatever the shape says
    if any(d < 0 for d in shape) or math.prod(shape) != array.size:
        raise ValueError(f"A tensor of {array.size} elements cannot have shape {shape}.")
    array = array.reshape(shape)
    array.flags.writeable = False
    return array


#: For each kind of attribute: from its value to the JSON form, and the way back.
_FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "type": (lambda dtype: dtype.enum_name, _decode_dtype),
    "shape": (TensorShape.to_dict, _decode_shape),
    "b": (bool, lambda value: untrusted.truth(value, "An attribute")),
    "i": (int, lambda value: untrusted.whole(value, "An attribute", -untrusted.LARGEST - 1)),
    "f": (float, _decode_float),
    "s": (lambda text: text, lambda value: untrusted.text(value, "An attribute")),
    "tensor": (_encode_array, _decode_array),
    "list": (
        lambda values: [encode_attr(value) for value in values],
        lambda value: tuple(untrusted.listed(value, "An attribute", lambda v, _: decode_attr(v))),
    ),
    "func": (_encode_function, FunctionDef.from_dict),
}


# ---- operations as data ------------------------------------------------------------------


def output_name(node: str, index: int) -> str:
    """An output of a node as inputs name it: 'a' for output 0, 'a:1' for the next."""
    return f"{node}:{index}" if index else node


def free_name(wanted: str, taken: Container[str]) -> str:
    """The name, with a number when another node has it."""
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def input_name(tensor: Any) -> str:
    """A tensor as a node's input names it."""
    return output_name(tensor.op.name, tensor.value_index)


def node_def(op: Any, add_shapes: bool = False, add_types: bool = False) -> NodeDef:
    """The NodeDef of an operation, with the inferred shapes and types if asked for."""
    given = op.inputs
    attr = {**op.attrs, **op.op_def.type_attrs(given)}
    for key, value in attr.items():
        if type(value) not in _VALUES and hasattr(value, "to_function_def"):
            attr[key] = value.to_function_def()
    if add_shapes:
        attr["_output_shapes"] = tuple([t.shape for t in op.outputs])
    if add_types:
        attr["_output_types"] = tuple(t.dtype for t in op.outputs)
    inputs = [input_name(t) for t in given] + ["^" + c.name for c in op.control_inputs]
    return NodeDef(op.name, op.type, inputs, op.device, attr)


_VALUES = {DType, TensorShape, bool, int, list, str, tuple}  # most attributes, and no functions

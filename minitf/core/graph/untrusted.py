"""Checks of untrusted data: graphs and fields of calls, before they are used.

    a file, a text, a peer's frame
        --json, msgpack--> plain values --whole, text, truth--> NodeDefs --check_nodes--> a graph

Names of nodes occur in the program that a session compiles, in messages and in pictures. So a graph
that comes as data must follow TensorFlow's grammar: names of nodes, inputs, types, devices,
attributes and their kinds. `import_graph_def` and the services of a task check all of it; the
services also accept a peer's `_Arg`, `_Retval`, `_Send` and `_Recv`.

Values of tensors are not checked: they are numbers and bytes, and never become text.
"""

from __future__ import annotations

import platform
import re
import reprlib
from collections.abc import Callable, Collection, Iterable
from typing import Any

from minitf.core.graph import errors
from minitf.core.graph.attr_value import kind_of
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.dtypes import DType
from minitf.core.graph.op_def import OpDef, get_op_def
from minitf.core.graph.shapes import TensorShape, unknown_shape

Reader = Callable[[Any, str], Any]  # a value, and what it is for messages; may raise ValueError
LARGEST = 2**63 - 1  # of whole numbers: TensorFlow's int64
LARGEST_INDEX = 2**31 - 1

_PART = r"[A-Za-z0-9.][A-Za-z0-9_./\-]*"
_NAME = re.compile(rf"{_PART}(?:>{_PART})*")
#: as a runtime names nodes: `_arg_x_0`; and what the scopes of a program may hold besides
_INNER_NAME = re.compile(r"[A-Za-z0-9._][A-Za-z0-9_.\\/>\-]*")
_OUTPUT = re.compile(r"(?::[0-9]{1,9})?")
_ATTR_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_JOB = re.compile(r"(?:[A-Za-z][A-Za-z0-9_.\-]*)?")  # "/job:" is a device, too
_DEVICE_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

# ---- plain values ------------------------------------------------------------------------------


def whole(value: Any, what: str, low: int = 0, high: int = LARGEST) -> int:
    """Returns a whole number of JSON or msgpack; not True, and not "7".

    Raises:
      ValueError: when it is no whole number, or not from `low` to `high`.
    """
    if type(value) is not int or not low <= value <= high:
        raise ValueError(
            f"{what} must be a whole number from {low} to {high}, got {reprlib.repr(value)}"
        )
    return value


def text(value: Any, what: str) -> str:
    """Returns a text that UTF-8 can encode; half a surrogate pair is none.

    Raises:
      ValueError: when it is none.
    """
    if type(value) is not str or (not value.isascii() and _is_broken(value)):
        raise ValueError(f"{what} must be a text, got {reprlib.repr(value)}")
    return value


def number(value: Any, what: str) -> float:
    """Returns a finite number of JSON or msgpack.

    Raises:
      ValueError: when it is none.
    """
    if type(value) not in (int, float) or not abs(value) < 1e300:
        raise ValueError(f"{what} must be a number, got {reprlib.repr(value)}")
    return float(value)


def _is_broken(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def truth(value: Any, what: str) -> bool:
    """Returns True or False.

    Raises:
      ValueError: when it is neither.
    """
    if type(value) is not bool:
        raise ValueError(f"{what} must be true or false, got {reprlib.repr(value)}")
    return value


def listed(value: Any, what: str, each: Reader = text) -> list[Any]:
    """Returns a list whose elements `each` has checked.

    Raises:
      ValueError: when it is none.
    """
    if type(value) is not list:
        raise ValueError(f"{what} must be a list, got {reprlib.repr(value)}")
    element = f"An element of {what[:1].lower()}{what[1:]}"
    return [each(item, element) for item in value]


# ---- names -------------------------------------------------------------------------------------


def is_node_name(name: Any, inner: bool = False) -> bool:
    """Whether a node may be called so.

    Args:
      name: the name.
      inner: whether it is a node of a runtime, between tasks.
    """
    return type(name) is str and bool((_INNER_NAME if inner else _NAME).fullmatch(name))


def is_tensor_name(name: Any, inner: bool = False) -> bool:
    """Whether a node's input may be written so: "a", "a:1" or "^a"."""
    if type(name) is not str:
        return False
    if name.startswith("^"):
        return is_node_name(name[1:], inner)
    node, colon, index = name.partition(":")
    return is_node_name(node, inner) and bool(_OUTPUT.fullmatch(colon + index))


def device_name(device: Any, where: str) -> str:
    """Returns the canonical form of a device's name, "" when all of it is open.

    Args:
      device: the name.
      where: what asks for it, for the message.
    Raises:
      ValueError: when no device can be called so.
    """
    spec = DeviceSpec.from_string(text(device, "A device"))
    numbers = (spec.replica, spec.task, spec.device_index)
    if not (
        (spec.job is None or _JOB.fullmatch(spec.job))
        and (spec.device_type is None or _DEVICE_TYPE.fullmatch(spec.device_type))
        and all(n is None or 0 <= n <= LARGEST_INDEX for n in numbers)
    ):
        raise ValueError(f"Malformed device specification '{device}' in node: {where}")
    return spec.to_string()


# ---- operations whose type nobody here declares -----------------------------------------------
#
# A graph may contain an operation of an unknown type if the reader of the file gives the types of
# its outputs (`_output_types`). It cannot be computed; its outputs can be fed.

#: The attribute by which such a node says how many outputs it has, and of which types.
TYPES = "_output_types"
_ABSENT_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_>]{0,200}")


class AbsentOp(OpDef):
    """The declaration of an unknown type.

    Args:
      type: the type.
      attr_names: the attributes of the node, whatever they hold.
    Raises:
      ValueError: when the type is no name.
    """

    def __init__(self, type: str, attr_names: Iterable[str]) -> None:
        if _ABSENT_TYPE.fullmatch(type) is None:
            raise ValueError(f"{type!r} is no type of an operation.")

        def kernel(ctx: Any, input: Any, *, _output_types: Any, **attrs: Any) -> Any:
            """Says that it cannot be computed."""
            raise errors.NotFoundError.of(
                f"Op type not registered '{type}': it came with a graph from elsewhere, and neither"
                " it nor what depends on it can be computed here. Fetch something else, or feed "
                "its outputs (`feed_dict`)."
            )

        super().__init__(type, f"input: N*? -> output: N*{TYPES}", kernel, host_only=True)
        own = (name for name in attr_names if name not in (TYPES, "_output_shapes"))
        self.attr_names = (TYPES, *own)
        self.attr_kinds, self.type_names = {}, frozenset()
        self.shape_function = lambda *inputs, _output_types, **attrs: [
            unknown_shape() for _ in _output_types
        ]


def own_attrs(node: Any, op_def: OpDef) -> dict[str, Any]:
    """The attributes of a node, without types of inputs and inferred ones."""
    inferred = () if isinstance(op_def, AbsentOp) else (TYPES,)
    left_out = {"_output_shapes", *inferred, *op_def.type_names}
    return {name: value for name, value in node.attrs.items() if name not in left_out}


# ---- graphs ------------------------------------------------------------------------------------


def check_nodes(node_defs: Iterable[Any], inner: Collection[str] = ()) -> None:
    """Checks all nodes of a graph that comes as data.

    Args:
      node_defs: `NodeDef`s.
      inner: the types of a runtime's own that may be among them: "_Arg" and the like. Where there
        are some, nodes may have the names that a runtime gives.
    Raises:
      ValueError: when a name, an input, a device or an attribute has not the form it must have.
      NotFoundError: when an operation's type is unknown.
    """
    for node in node_defs:
        if not is_node_name(node.name, bool(inner)):
            raise ValueError(f"Node '{node.name}': Node name contains invalid characters")
        op_def = find_op_def(node, inner)
        for source in node.input:
            if not is_tensor_name(source, bool(inner)):
                raise ValueError(f"Node '{node.name}': Unknown input node '{source}'")
        if node.device:
            device_name(node.device, node.name)
        _check_attrs(node, op_def)


def find_op_def(node: Any, inner: Collection[str] = ()) -> OpDef:
    """The declaration of a node's type; an `AbsentOp` if the node has `_output_types`.

    Raises:
      ValueError, NotFoundError: when it has none.
    """
    if not node.op:
        raise ValueError(f"Node '{node.name}' does not specify an operation")
    try:
        if not node.op.startswith("_") or node.op in inner:
            return get_op_def(node.op)
    except KeyError:
        if TYPES in node.attrs and not inner:
            return AbsentOp(node.op, node.attrs)
    raise errors.NotFoundError.of(
        f"Op type not registered '{node.op}' in binary running on {platform.node()}. Make sure the "
        "Op and Kernel are registered in the binary running in this process."
    )


def _check_attrs(node: Any, op_def: OpDef) -> None:
    where = f"NodeDef: {{{{node {node.name}}}}}"
    described = f"Op<name={op_def.type}; signature={op_def.signature}>"
    for name, value in node.attrs.items():
        if type(name) is not str or not _ATTR_NAME.fullmatch(name):
            raise ValueError(f"{reprlib.repr(name)} is no name of an attribute; {where}")
        known = name in op_def.attr_names or name in op_def.type_names
        if not known and not name.startswith("_"):
            raise ValueError(f"NodeDef mentions attr '{name}' not in {described}; {where}")
        expected, field = op_def.attr_kinds.get(name) or _KINDS.get(name), kind_of(value) or "none"
        found = _KIND_NAMES.get(field, field)
        if any(name == arg.type for arg in op_def.inputs) and not all(
            isinstance(each, DType) for each in _elements(value)
        ):
            expected = ("type",)
        if expected and found not in expected:
            raise ValueError(
                f"AttrValue had value with type '{found}' when '{expected[0]}' expected\n\t for "
                f"attr '{name}'\n\t; {where}; {described}"
            )
        if name in _FORMS and not all(map(_FORMS[name], _elements(value))):
            raise ValueError(_FORM_TEXTS[name].format(node=node.name, value=reprlib.repr(value)))
    for name in op_def.attr_names:
        if name not in node.attrs and name not in op_def.attr_defaults:
            raise ValueError(f"NodeDef missing attr '{name}' from {described}; {where}")


#: What messages call the fields of an AttrValue that are no words.
_KIND_NAMES = {"s": "string", "b": "bool", "i": "int", "f": "float"}


def _elements(value: Any) -> Iterable[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)


def _is_colocation(value: Any) -> bool:
    return isinstance(value, str) and value[:5] == "loc:@" and is_node_name(value[5:], True)


def _is_device(value: Any) -> bool:
    try:
        return bool(device_name(value, ""))
    except ValueError:
        return False


#: What attributes hold that no declaration speaks of, by name, and the form of what they hold.
_KINDS = {"_class": ("list",), "_output_shapes": ("list",), "_output_types": ("list",)}
_FORMS: dict[str, Callable[[Any], bool]] = {
    "_class": _is_colocation,
    "_output_shapes": lambda value: isinstance(value, TensorShape),
    "_output_types": lambda value: isinstance(value, DType),
    "send_device": _is_device,
    "recv_device": _is_device,
    "tensor_name": lambda value: is_tensor_name(value, True),
}
_FORM_TEXTS = {
    "_class": "Node '{node}' expects to be colocated with unknown node {value}",
    "_output_shapes": "Node '{node}' has an invalid '_output_shapes' attribute: {value}",
    "_output_types": "Node '{node}' has an invalid '_output_types' attribute: {value}",
    "send_device": "Malformed device specification {value} in node: {node}",
    "recv_device": "Malformed device specification {value} in node: {node}",
    "tensor_name": "Node '{node}': {value} is no name of a tensor",
}

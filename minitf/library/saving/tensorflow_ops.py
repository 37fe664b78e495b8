"""How TensorFlow declares the operations that both know.

A file of TensorFlow's has all attributes that an operation there wants, and functions in it name
outputs as they are declared, so this is asked wherever one is written, or a function is read.

Most operations are declared there as here, so their own declarations tell. The others stand in
`tensorflow_ops.txt`, which `scripts/tensorflow_ops.py` makes:

    TopKV2(input:T, k:Tk) -> (values:T, indices:index_type) sorted:bool= T:type Tk:type=int32 ...
    - AddLists Argument Scan                        these exist only here

`N*T` is a list as long as the attribute N says, `*T` one whose types are the attribute T, `T&` a
reference; "=" marks an attribute that has a default, with the type that this is. Attributes with a
default that nobody here gives are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.op_def import Arg, OpDef, get_op_def
from minitf.core.graph.shapes import as_shape

#: begins the names of attributes that an operation has here and not there
OURS = "_minitf_"
#: what TensorFlow calls an attribute of ours
CALLED_THERE = {"dtypes": "fake_dtypes", "output_types": "Toutput_types", "types": "Tout"}
_FIXED = {t.enum_name.removeprefix("DT_").lower(): t for t in dtypes.ENUM_NUMBERS}


class End(NamedTuple):
    """An input or an output.

    Args:
      name: what it is called.
      type: a dtype, or the attribute that holds it.
      length: the attribute that tells how many there are; "" for one, "*" for as many as types.
      is_ref: whether it is a reference to a variable.
    """

    name: str
    type: DType | str
    length: str
    is_ref: bool

    @staticmethod
    def parse(text: str) -> End:
        """Reads "values:N*T&"."""
        name, _, kind = text.partition(":")
        length, star, plain = kind.rstrip("&").rpartition("*")
        dtype = _FIXED.get(plain, plain)
        return End(name, dtype, length or star, kind.endswith("&"))

    @staticmethod
    def of(arg: Arg, op_def: OpDef) -> End:
        """An input or output of an operation that is declared here."""
        is_told = arg.type in op_def.type_names or arg.type in op_def.attr_names
        length = "*" if arg.is_list and arg.type in op_def.attr_names else arg.length
        return End(arg.name, arg.type if is_told else dtypes.as_dtype(arg.type), length, arg.is_ref)

    def count(self, attr: Mapping[str, Any]) -> int:
        """How many tensors it is for a node with these attributes."""
        if not self.length:
            return 1
        return len(attr[str(self.type)]) if self.length == "*" else attr[self.length]

    def types(self, attr: Mapping[str, Any]) -> list[DType]:
        """The type of each of them."""
        found: Any = attr[self.type] if isinstance(self.type, str) else self.type
        return list(found) if self.length == "*" else [found] * self.count(attr)


#: how a plain value becomes one of the kind that an attribute has
_MAKERS: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "float": float,
    "int": int,
    "list(float)": lambda value: tuple(float(each) for each in value),
    "list(int)": lambda value: tuple(int(each) for each in value),
    "shape": as_shape,
    "list(shape)": lambda value: tuple(as_shape(each) for each in value),
    "type": dtypes.as_dtype,
}


@dataclass(frozen=True)
class TheirOp:
    """An operation as TensorFlow declares it.

    Args:
      inputs, outputs: what it takes and gives.
      attrs: for each attribute its kind, as "list(type)".
      needed: the attributes that must be given.
      types: the attributes that are types, and not given.
    """

    inputs: list[End]
    outputs: list[End]
    attrs: dict[str, str]
    needed: list[str]
    types: dict[str, DType]

    @functools.cached_property
    def makers(self) -> dict[str, Callable[[Any], Any]]:
        """How each attribute is made of a plain value."""
        return {name: _MAKERS.get(kind, lambda value: value) for name, kind in self.attrs.items()}

    @functools.cached_property
    def _places(self) -> dict[str, int] | None:
        """Which input tells the type that an attribute is; None where inputs are lists."""
        if any(end.length for end in self.inputs):
            return None
        return {str(end.type): i for i, end in enumerate(self.inputs) if type(end.type) is str}

    @functools.cached_property
    def _single(self) -> list[Any] | None:
        """The type of each output, or the attribute that is it; None where outputs are lists."""
        if any(end.length for end in self.outputs):
            return None
        return [end.type for end in self.outputs]

    def grouped(
        self, sources: Sequence[Any], attr: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[End, Sequence[Any]]]:
        """Which inputs of a node stand for which of its declaration.

        Lists are as long as the attributes say; equally long where none does.
        """
        lists = sum([end.length != "" for end in self.inputs])
        if not lists:  # nearly all
            yield from zip(self.inputs, [[source] for source in sources])
            return
        known = attr or {}
        long = (len(sources) - len(self.inputs) + lists) // lists
        at = 0
        for end in self.inputs:
            told = end.length in known or (end.length == "*" and end.type in known)
            count = end.count(known) if told or not end.length else long
            yield end, sources[at : at + count]
            at += count

    def tell_types(self, types: Sequence[DType], attr: dict[str, Any]) -> None:
        """Adds the attributes of a node that are types of its inputs, or how many they are."""
        if self._places is not None:  # of nearly all
            for key, place in self._places.items():
                if place < len(types):
                    attr[key] = types[place]
            return
        for end, given in self.grouped(types, attr):
            if end.length and end.length != "*":
                attr[end.length] = len(given)
            if isinstance(end.type, str) and (given or end.length == "*"):
                attr[end.type] = tuple(given) if end.length == "*" else given[0]

    def references(self, sources: Sequence[str], attr: Mapping[str, Any]) -> list[str]:
        """Those inputs of a node that are references to variables."""
        return [s for end, given in self.grouped(sources, attr) if end.is_ref for s in given]

    def output_types(self, attr: Mapping[str, Any]) -> list[DType]:
        """The type of each output of a node."""
        known = {**self.types, **attr} if self.types else attr
        if self._single is not None:  # of nearly all
            return [known[each] if type(each) is str else each for each in self._single]
        return [dtype for end in self.outputs for dtype in end.types(known)]

    def output_places(self, attr: Mapping[str, Any]) -> list[tuple[str, int]]:
        """For each output of a node the name that it has in functions, and its place there."""
        return [(end.name, i) for end in self.outputs for i in range(end.count(attr))]


@functools.cache
def _lines() -> dict[str, str]:
    lines = Path(__file__).with_suffix(".txt").read_text().splitlines()
    return {name: line for line in lines for name in line.partition("(")[0].split()}


@functools.cache
def their_op(kind: str) -> TheirOp | None:
    """The declaration of an operation; None when it is no operation of both."""
    line = _lines().get(kind)
    if line is not None:
        return None if line.startswith("-") else _parsed(line)
    try:
        own = get_op_def(kind)
    except KeyError:
        return None
    return as_declared(own) if own.__module__.startswith("minitf.") and kind[0] != "_" else None


def _parsed(line: str) -> TheirOp:
    inputs, _, rest = line.partition("(")[2].partition(") -> (")
    outputs, _, rest = rest.partition(")")
    attrs, needed, types = {}, [], {}
    for each in rest.split():
        name, _, told = each.partition(":")
        sort, given, usual = told.partition("=")
        attrs[name] = sort
        if not given:
            needed.append(name)
        if usual in _FIXED:
            types[name] = _FIXED[usual]
    taken, given_out = (
        [End.parse(each) for each in side.split(", ") if each] for side in (inputs, outputs)
    )
    return TheirOp(taken, given_out, attrs, needed, types)


def as_declared(op_def: OpDef) -> TheirOp:
    """An operation that is declared there as it is here."""
    usual = op_def.attr_defaults
    types = {name: value for name, value in usual.items() if isinstance(value, DType)}
    attrs = {name: _kind(name, op_def) for name in op_def.attr_names}
    needed = [*op_def.type_names, *(name for name in attrs if name not in usual)]
    inputs, outputs = (
        [End.of(arg, op_def) for arg in side] for side in (op_def.inputs, op_def.outputs)
    )
    return TheirOp(inputs, outputs, dict.fromkeys(op_def.type_names, "") | attrs, needed, types)


def _kind(name: str, op_def: OpDef) -> str:
    """What TensorFlow calls the kind of an attribute; "" where its values tell."""
    if name.endswith(("shapes", "types")):
        return f"list({name.rpartition('_')[2].removesuffix('s')})"
    (declared, *_) = op_def.attr_kinds[name] or ("",)
    return "list(int)" if declared == "list" else declared

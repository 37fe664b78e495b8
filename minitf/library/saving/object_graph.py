"""Objects and what hangs on them, as a checkpoint writes it beside the values.

    0 root ──"model"──> 1 ──"kernel"──> 3    3: VARIABLE_VALUE in "model/kernel/.ATTRIBUTES/..."
           └─"optimizer"──> 2                2: its slot "m" of 3 is object 4

A program that reads the checkpoint walks its own objects and these numbers side by side. The record
is a `TrackableObjectGraph`, as TensorFlow writes it.

An object says what hangs on it by `_checkpoint_children()`, a dictionary; of another one the
attributes without a leading underscore are taken. `_lookup_dependency(name)` makes a part that a
checkpoint has and the object has not, if it can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable
from minitf.library.formats import message_fields

VALUE = "VARIABLE_VALUE"


@dataclass
class Record:
    """One object of a checkpoint.

    Attributes:
      children: by name the numbers of the objects that hang on it.
      attributes: by name the keys of its values: a variable has a VARIABLE_VALUE.
      full_name: the name of the variable in its graph.
      slots: of an optimizer: (number of the variable, name of the slot, number of the slot).
    """

    children: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    full_name: str = ""
    slots: list[tuple[int, str, int]] = field(default_factory=list)


def encode(records: list[Record]) -> bytes:
    """The records as bytes."""
    nodes = [
        {
            "children": [
                {"node_id": number, "local_name": name} for name, number in record.children.items()
            ],
            "attributes": [
                {"name": name, "full_name": record.full_name, "checkpoint_key": key}
                for name, key in record.attributes.items()
            ],
            "slot_variables": [dict(zip(_SLOT, slot, strict=True)) for slot in record.slots],
        }
        for record in records
    ]
    return message_fields.encode({"nodes": nodes}, "TrackableObjectGraph")


_SLOT = ("original_variable_node_id", "slot_name", "slot_variable_node_id")


def decode(data: bytes) -> list[Record]:
    """Reads the records.

    Raises:
      ValueError: when the data are none.
    """
    records = []
    for node in message_fields.decode(data, "TrackableObjectGraph").get("nodes", ()):
        record = Record()
        for child in node.get("children", ()):
            record.children[child.get("local_name", "")] = child.get("node_id", 0)
        for told in node.get("attributes", ()):
            record.attributes[told.get("name", "")] = told.get("checkpoint_key", "")
            record.full_name = told.get("full_name", "")
        for slot in node.get("slot_variables", ()):
            variable, name, number = (slot.get(key) for key in _SLOT)
            record.slots.append((variable or 0, name or "", number or 0))
        records.append(record)
    numbers = [n for r in records for n in r.children.values()]
    numbers += [n for r in records for v, _, s in r.slots for n in (v, s)]
    if not all(0 <= n < len(records) for n in numbers):
        raise ValueError("an object that is not there")
    return records


# ---- the objects of the program ----------------------------------------------------------


def is_trackable(thing: Any) -> bool:
    """Whether an object may hold variables."""
    if isinstance(thing, (Variable, Optimizer, list, tuple, dict)):
        return True
    holds = hasattr(thing, "_checkpoint_children") or hasattr(thing, "variables")
    return holds and not isinstance(thing, type)


def children(thing: Any) -> dict[str, Any]:
    """The parts of an object that may hold variables, by name."""
    parts: Any
    if isinstance(thing, Variable):
        return {}
    if hasattr(thing, "_checkpoint_children"):
        parts = thing._checkpoint_children()
    elif isinstance(thing, Optimizer):
        parts = {name: variable for (name, _), variable in thing._non_slots.items()}
    elif isinstance(thing, Mapping):
        parts = thing
    elif isinstance(thing, (list, tuple)):
        parts = dict(enumerate(thing))
    else:
        parts = {k: v for k, v in vars(thing).items() if not k.startswith("_")}
    return {str(name): part for name, part in parts.items() if is_trackable(part)}


def _escaped(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")


class ObjectGraph:
    """All that hangs on an object.

    Args:
      root: the object.

    Attributes:
      records: what a checkpoint writes.
      variables: by their keys.
    """

    def __init__(self, root: Any) -> None:
        objects, paths = [root], [""]
        numbers = {id(root): 0}
        self.records: list[Record] = []
        self.variables: dict[str, Variable] = {}
        for number, thing in enumerate(objects):  # which grow meanwhile
            record = Record()
            self.records.append(record)
            for name, part in children(thing).items():
                if id(part) not in numbers:
                    numbers[id(part)] = len(objects)
                    objects.append(part)
                    path = paths[number]
                    paths.append(f"{path}/{_escaped(name)}" if path else _escaped(name))
                record.children[name] = numbers[id(part)]
            if isinstance(thing, Variable):
                self._write(number, thing, paths[number])
        variables = [(n, thing) for n, thing in enumerate(objects) if isinstance(thing, Variable)]
        for number, thing in enumerate(objects):
            for name in slot_names(thing):
                for each, variable in variables:
                    slot = slot_of(thing, variable, name)
                    if slot is None:
                        continue
                    self.records[number].slots.append((each, name, len(self.records)))
                    self.records.append(Record())
                    path = f"{paths[each]}/.OPTIMIZER_SLOT/{paths[number]}/{name}"
                    self._write(len(self.records) - 1, slot, path)

    def _write(self, number: int, variable: Variable, path: str) -> None:
        key = f"{path}/.ATTRIBUTES/{VALUE}"
        self.records[number].attributes[VALUE] = key
        self.records[number].full_name = variable._shared_name
        self.variables[key] = variable


def slot_names(thing: Any) -> list[str]:
    """The names of an optimizer's slots; none of another object."""
    names = getattr(thing, "get_slot_names", None)
    return list(names()) if names is not None and not isinstance(thing, type) else []


def slot_of(optimizer: Any, variable: Variable, name: str) -> Variable | None:
    """The slot of a variable, or None."""
    try:
        return optimizer.get_slot(variable, name)
    except (KeyError, AttributeError):
        return None


def matched(root: Any, records: list[Record]) -> tuple[dict[str, Variable], set[int]]:
    """Walks the program's objects beside those of a checkpoint.

    Args:
      root: the object that stands for the first record.
      records: what the checkpoint holds.

    Returns: by the keys of the checkpoint what they are for; and the numbers of the
    records that were found.
    """
    found: dict[int, Any] = {0: root}
    waiting = [0]
    while waiting:
        number = waiting.pop(0)
        parts = children(found[number])
        make = getattr(found[number], "_lookup_dependency", None)
        for name, inner in records[number].children.items():
            part = parts[name] if name in parts else make(name) if make else None
            if part is not None and inner not in found:
                found[inner] = part
                waiting.append(inner)
    for number in list(found):
        for variable, name, slot in records[number].slots:
            if variable in found and slot_names(found[number]):
                thing = slot_of(found[number], found[variable], name)
                if thing is not None:
                    found[slot] = thing
    values = {
        records[number].attributes[VALUE]: thing
        for number, thing in found.items()
        if isinstance(thing, Variable) and VALUE in records[number].attributes
    }
    return values, set(found)

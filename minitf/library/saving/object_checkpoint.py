"""`tf.train.Checkpoint`: saves variables by where they hang in the program's objects, not by name.

    Checkpoint(model=model, optimizer=opt)
        model.dense.kernel    ->  model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE
        its slot `m` in opt   ->  model/dense/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/...

So two programs can share weights whose names differ. The files are those of `Saver`.

Beside the values a checkpoint holds the objects and what hangs on them:

    0 root ──"model"──> 1 ──"kernel"──> 3    3: VARIABLE_VALUE in "model/kernel/.ATTRIBUTES/..."
           └─"optimizer"──> 2                2: its slot "m" of 3 is object 4

A program that reads the checkpoint walks its own objects and these numbers side by side. The record
is a `TrackableObjectGraph`, as TensorFlow writes it.

An object says what hangs on it by `_checkpoint_children()`, a dictionary; of another one the
attributes without a leading underscore are taken. `_lookup_dependency(name)` makes a part that a
checkpoint has and the object has not, if it can.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minitf.core.graph import errors, stacks
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable
from minitf.library.formats import messages
from minitf.library.formats.checkpoint_files import write_checkpoint
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.saving import checkpoint_state

VALUE = "VARIABLE_VALUE"


def encode(nodes: list[dict]) -> bytes:
    """The objects of a checkpoint, as fields of messages, as bytes."""
    return messages.encode({"nodes": nodes}, "TrackableObjectGraph")


def decode(data: bytes) -> list[dict]:
    """Reads the objects of a checkpoint.

    Raises:
      ValueError: when the data are none.
    """
    nodes: list[dict] = messages.decode(data, "TrackableObjectGraph").get("nodes", [])
    numbers = [n for node in nodes for n in _parts(node).values()]
    numbers += [n for node in nodes for v, _, s in _slots(node) for n in (v, s)]
    if not all(0 <= n < len(nodes) for n in numbers):
        raise ValueError("an object that is not there")
    return nodes


def _parts(node: dict) -> dict[str, int]:
    """By name the numbers of the objects that hang on one."""
    return {c.get("local_name", ""): c.get("node_id", 0) for c in node.get("children", ())}


def _keys(node: dict) -> dict[str, str]:
    """By name the keys of its values: a variable has a VARIABLE_VALUE."""
    return {a.get("name", ""): a.get("checkpoint_key", "") for a in node.get("attributes", ())}


_SLOT = ("original_variable_node_id", "slot_name", "slot_variable_node_id")


def _slots(node: dict) -> list[tuple[int, str, int]]:
    """Of an optimizer: (number of the variable, name of the slot, number of the slot)."""
    variable, name, slot = _SLOT
    found = node.get("slot_variables", ())
    return [(each.get(variable, 0), each.get(name, ""), each.get(slot, 0)) for each in found]


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
      nodes: what a checkpoint writes.
      variables: by their keys.
    """

    def __init__(self, root: Any) -> None:
        objects, paths = [root], [""]
        numbers = {id(root): 0}
        self.nodes: list[dict] = []
        self.variables: dict[str, Variable] = {}
        for number, thing in enumerate(objects):  # which grow meanwhile
            own: list[dict] = []
            self.nodes.append({"children": own})
            for name, part in children(thing).items():
                if id(part) not in numbers:
                    numbers[id(part)] = len(objects)
                    objects.append(part)
                    path = paths[number]
                    paths.append(f"{path}/{_escaped(name)}" if path else _escaped(name))
                own.append({"node_id": numbers[id(part)], "local_name": name})
            if isinstance(thing, Variable):
                self._write(number, thing, paths[number])
        variables = [(n, thing) for n, thing in enumerate(objects) if isinstance(thing, Variable)]
        for number, thing in enumerate(objects):
            for name in slot_names(thing):
                for each, variable in variables:
                    slot = slot_of(thing, variable, name)
                    if slot is None:
                        continue
                    told = dict(zip(_SLOT, (each, name, len(self.nodes)), strict=True))
                    self.nodes[number].setdefault("slot_variables", []).append(told)
                    self.nodes.append({})
                    path = f"{paths[each]}/.OPTIMIZER_SLOT/{paths[number]}/{name}"
                    self._write(len(self.nodes) - 1, slot, path)

    def _write(self, number: int, variable: Variable, path: str) -> None:
        key = f"{path}/.ATTRIBUTES/{VALUE}"
        told = {"name": VALUE, "full_name": variable._shared_name, "checkpoint_key": key}
        self.nodes[number]["attributes"] = [told]
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


def matched(root: Any, nodes: list[dict]) -> tuple[dict[str, Variable], set[int]]:
    """Walks the program's objects beside those of a checkpoint.

    Args:
      root: the object that stands for the first one.
      nodes: what the checkpoint holds.

    Returns: by the keys of the checkpoint what they are for; and the numbers of the
    objects that were found.
    """
    found: dict[int, Any] = {0: root}
    waiting = [0]
    while waiting:
        number = waiting.pop(0)
        parts = children(found[number])
        make = getattr(found[number], "_lookup_dependency", None)
        for name, inner in _parts(nodes[number]).items():
            part = parts[name] if name in parts else make(name) if make else None
            if part is not None and inner not in found:
                found[inner] = part
                waiting.append(inner)
    for number in list(found):
        for variable, name, slot in _slots(nodes[number]):
            if variable in found and slot_names(found[number]):
                thing = slot_of(found[number], found[variable], name)
                if thing is not None:
                    found[slot] = thing
    values = {
        _keys(nodes[number])[VALUE]: thing
        for number, thing in found.items()
        if isinstance(thing, Variable) and VALUE in _keys(nodes[number])
    }
    return values, set(found)


_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


def _session(session: Any) -> Any:
    session = session or stacks.get_default_session()
    if session is None:
        raise RuntimeError(
            "Checkpoints of graphs need a session: pass one, or make one the default."
        )
    return session


def _read(variables: dict[str, Variable], session: Any) -> dict[str, Any]:
    """The values of variables, by key."""
    if stacks.outermost().runs_at_once:
        return {key: v.numpy() for key, v in variables.items()}  # type: ignore[attr-defined]
    return _session(session).run(variables)


def write_objects(root: Any, file_prefix: str, session: Any = None) -> None:
    """Writes the variables that hang on an object, and how, as a checkpoint.

    Args:
      root: the object.
      file_prefix: the path, without a suffix.
      session: holds the variables of a graph; the default session when None.
    """
    graph = ObjectGraph(root)
    values = _read(graph.variables, session)
    names = [_OBJECTS, *values]
    contents = [encode(graph.nodes), *values.values()]
    write_checkpoint(file_prefix, names, [""] * len(names), contents)


#: checkpoints that have values for variables which are not made yet
_awaited: weakref.WeakSet = weakref.WeakSet()


def restore_awaited() -> None:
    """Gives variables that were just made the values that a checkpoint, read before, has for them.

    Layers call it when they have made theirs.
    """
    for status in list(_awaited):
        with stacks.init_scope():  # a layer may make its variables inside of a loop
            if status._waiting(status._found()[0]):  # its model may be in another graph
                status._restore(status._find_session())


class CheckpointLoadStatus:
    """What `Checkpoint.restore` found, and what it may still find in objects made later.

    Args:
      root: the object.
      reader: the checkpoint; None when there is none, so that variables are only initialized. One
        that `Saver` wrote gives variables the values of their names.
    """

    def __init__(self, root: Any, reader: CheckpointReader | None) -> None:
        self._root = root
        self._reader = reader
        self._nodes: list[dict] = []
        if reader is not None and reader.has_tensor(_OBJECTS):
            try:
                self._nodes = decode(bytes(reader.get_tensor(_OBJECTS)))
            except ValueError as error:
                message = f"The objects of a checkpoint cannot be read: {error}"
                raise errors.DataLossError(None, None, message) from None
        self._done: set[int] = set()  # identities of what has its value
        self._find_session: Callable[[], Any] = lambda: None

    def wait(self, find_session: Callable[[], Any]) -> None:
        """Has variables that the object gets later restored as they are made, as long as it lives.

        Args:
          find_session: finds the session that holds the variables of a graph.
        """
        numbers = self._found()[1]
        if any(_keys(each) for n, each in enumerate(self._nodes) if n not in numbers):
            self._find_session = find_session
            self._root._restored = self
            _awaited.add(self)

    def _found(self) -> tuple[dict[str, Variable], set[int]]:
        """What has a value in the checkpoint, by its keys; the numbers of all that was found."""
        if self._reader is None:
            return {}, set()
        if self._nodes:
            found, numbers = matched(self._root, self._nodes)
            return {k: v for k, v in found.items() if self._reader.has_tensor(k)}, numbers
        own = ObjectGraph(self._root).variables.values()
        return {v._shared_name: v for v in own if self._reader.has_tensor(v._shared_name)}, set()

    def _waiting(self, found: dict[str, Variable]) -> dict[str, Variable]:
        """Which of the variables found have not got their values yet."""
        return {k: v for k, v in found.items() if id(v) not in self._done}

    def _restore(self, session: Any) -> dict[str, Variable]:
        """Gives values to variables that have not got them yet; returns those without any."""
        found, _ = self._found()
        for key, variable in self._waiting(found).items():
            assert self._reader is not None
            value = self._reader.get_tensor(key)
            if tuple(variable.shape.as_list()) != np.shape(value):
                raise ValueError(
                    f"Received incompatible tensor with shape {np.shape(value)} when attempting to "
                    f"restore variable with shape {variable.shape} and name {variable.name}."
                )
            if stacks.outermost().runs_at_once:
                with stacks.init_scope():  # a layer may be built inside a function
                    variable.assign(value)
            else:
                variable.load(value, _session(session))
            self._done.add(id(variable))
        known = set(map(id, found.values()))
        own = ObjectGraph(self._root).variables
        return {key: variable for key, variable in own.items() if id(variable) not in known}

    def _restore_now(self) -> None:
        if stacks.executing_eagerly():
            self._restore(None)

    def run_restore_ops(self, session: Any = None) -> None:
        """Gives the variables of a graph their values."""
        self._restore(session)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Gives the variables of a graph their values, and initializes those without any."""
        missing = self._restore(session)
        if not stacks.executing_eagerly() and missing:
            _session(session).run([variable.initializer for variable in missing.values()])

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Checks that every value in the checkpoint belongs to a variable, and the reverse.

        Raises:
          AssertionError: when one does not.
        """
        self.assert_existing_objects_matched()
        _, numbers = self._found()
        for number, node in enumerate(self._nodes):
            for key in _keys(node).values() if number not in numbers else ():
                where = key.partition("/.ATTRIBUTES")[0].replace("/", ".")
                raise AssertionError(f"Unresolved object in checkpoint (root).{where}: {key}")
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Checks that every variable has its value from the checkpoint.

        Raises:
          AssertionError: when one has not.
        """
        self._restore_now()
        known = set(map(id, self._found()[0].values()))
        missing = [
            thing
            for key, thing in ObjectGraph(self._root).variables.items()
            if id(thing) not in known and not key.startswith("save_counter/")
        ]
        if missing:
            raise AssertionError(
                f"Found {len(missing)} Python objects that were not bound to checkpointed values, "
                f"likely due to changes in the Python program. Showing {min(10, len(missing))} of "
                f"{len(missing)} unmatched objects: {missing[:10]}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Checks that at least one variable has its value from the checkpoint.

        Raises:
          AssertionError: when none has.
        """
        self._restore_now()
        if not any(not key.startswith("save_counter/") for key in self._found()[0]):
            raise AssertionError("Nothing except the root object matched a checkpointed value.")
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that it is all right when parts of the checkpoint are not used."""
        return self


class Checkpoint:
    """Groups objects whose variables are saved together.

    Variables that are made after `restore`, as those of a layer at its first call, get their values
    when the status that it returned is asked again, by `assert_consumed` for example.

    Args:
      kwargs: the objects by name: variables, layers, optimizers, lists and dicts of them.

    Raises:
      ValueError: when one can hold no variables.
    Example:
      >>> tf.enable_eager_execution()
      >>> model, optimizer = tf.layers.Dense(3), tf.train.AdamOptimizer()
      >>> checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
      >>> path = checkpoint.save("/tmp/train/ckpt")
      >>> status = checkpoint.restore(tf.train.latest_checkpoint("/tmp/train"))
    """

    def __init__(self, **kwargs: Any) -> None:
        for name, thing in kwargs.items():
            if not is_trackable(thing):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from "
                    f"`Trackable`), got {thing}. If you believe this object should be trackable "
                    "(i.e. it is part of the TensorFlow Python API and manages state), please "
                    "open an issue."
                )
            setattr(self, name, thing)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if not name.startswith("_"):
            restore_awaited()

    def _checkpoint_children(self) -> dict[str, Any]:
        named = {k: v for k, v in sorted(vars(self).items()) if not k.startswith("_")}
        return {**named, "save_counter": self.save_counter}

    @property
    def save_counter(self) -> Variable:
        """How many checkpoints were saved."""
        if "_save_counter" not in self.__dict__:
            self._save_counter = Variable(0, trainable=False, dtype="int64", name="save_counter")
        return self._save_counter

    def write(self, file_prefix: str, session: Any = None) -> str:
        """Writes a checkpoint under exactly this name, and returns it.

        Args:
          file_prefix: the path, without a suffix.
          session: holds the variables of a graph; the default session when None.
        """
        write_objects(self, file_prefix, session)
        return file_prefix

    def save(self, file_prefix: str, session: Any = None) -> str:
        """Writes a checkpoint under this name and a number, and lists it in the directory.

        Args:
          file_prefix: the start of the path.
          session: holds the variables of a graph; the default session when None.
        Returns: the path, as "/tmp/train/ckpt-1".
        """
        counter = self.save_counter
        if stacks.outermost().runs_at_once:
            counter.assign_add(1)
            number = int(counter.numpy())  # type: ignore[attr-defined]
        else:
            session = _session(session)
            try:
                number = int(session.run(counter)) + 1
            except Exception:  # it was made after the program's initializer
                number = 1
            counter.load(number, session)
        path = self.write(f"{file_prefix}-{number}", session)
        folder = os.path.dirname(path) or "."
        checkpoint_state.update_checkpoint_state(folder, path, [path], save_relative_paths=True)
        return path

    def read(self, save_path: str) -> CheckpointLoadStatus:
        """Reads what `write` wrote; see `restore`."""
        return self.restore(save_path)

    def restore(self, save_path: str | None) -> CheckpointLoadStatus:
        """Reads a checkpoint into the variables; those of a graph with `run_restore_ops`.

        Args:
          save_path: what `save` returned; None does nothing.
        Returns: an object that tells what was found.
        Raises:
          NotFoundError: when there is no such checkpoint.
        """
        reader = None if save_path is None else CheckpointReader(save_path)
        status = CheckpointLoadStatus(self, reader)
        status._restore_now()
        if stacks.executing_eagerly():
            status.wait(lambda: None)
        return status


class CheckpointManager:
    """Keeps the newest checkpoints of a `Checkpoint` in a directory.

    Args:
      checkpoint: the `Checkpoint`.
      directory: the directory.
      max_to_keep: how many are kept; None keeps all.
      keep_checkpoint_every_n_hours: keep one for good each time so many hours went by.
      checkpoint_name: the start of their names.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: str,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        self._checkpoint = checkpoint
        self._directory = os.fsdecode(directory)
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        state = checkpoint_state.get_checkpoint_state(self._directory)
        paths = state.all_model_checkpoint_paths if state is not None else []
        self._paths = [path for path in paths if checkpoint_state.checkpoint_exists(path)]
        self._preserved = time.time()

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that are kept, oldest first."""
        return list(self._paths)

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint, or None."""
        return self._paths[-1] if self._paths else None

    def save(self, checkpoint_number: int | None = None, session: Any = None) -> str:
        """Writes a checkpoint, removes what is too old, and returns the path.

        Args:
          checkpoint_number: its number; by default one more than the last.
          session: holds the variables of a graph; the default session when None.
        """
        if checkpoint_number is None:
            path = self._checkpoint.save(self._prefix, session)
        else:
            path = self._checkpoint.write(f"{self._prefix}-{int(checkpoint_number)}", session)
        self._paths = [each for each in self._paths if each != path] + [path]
        while self._max_to_keep and len(self._paths) > self._max_to_keep:
            oldest = self._paths.pop(0)
            if self._keep_hours and time.time() - self._preserved > self._keep_hours * 3600:
                self._preserved = time.time()
            else:
                checkpoint_state.remove_checkpoint(oldest)
        checkpoint_state.update_checkpoint_state(
            self._directory, path, self._paths, save_relative_paths=True
        )
        return path

    def restore_or_initialize(self) -> str | None:
        """Reads the newest checkpoint and returns its path; None when there is none."""
        if self.latest_checkpoint is None:
            return None
        self._checkpoint.restore(self.latest_checkpoint).initialize_or_restore()
        return self.latest_checkpoint

"""`tf.train.Checkpoint`: saves variables by where they hang in the program's objects, not by name.

    Checkpoint(model=model, optimizer=opt)
        model.dense.kernel    ->  model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE
        its slot `m` in opt   ->  model/dense/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/...

So two programs can share weights whose names differ. The files are those of `Saver`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from minitf.core.graph import stacks
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable
from minitf.library.formats.checkpoint_files import write_checkpoint
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.saving import checkpoint_state

_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


def _is_trackable(thing: Any) -> bool:
    if isinstance(thing, (Variable, Optimizer, Checkpoint, list, tuple, dict)):
        return True
    return not isinstance(thing, type) and hasattr(thing, "variables")  # a layer, a module


def _children(thing: Any) -> Iterator[tuple[str, Any]]:
    """The parts of an object that may hold variables, by name."""
    parts: Any
    if isinstance(thing, Optimizer):
        parts = {name: variable for (name, _), variable in thing._non_slots.items()}
    elif isinstance(thing, Mapping):
        parts = thing
    elif isinstance(thing, (list, tuple)):
        parts = dict(enumerate(thing))
    else:
        parts = {k: v for k, v in vars(thing).items() if not k.startswith("_")}
        if isinstance(thing, Checkpoint):
            parts["save_counter"] = thing.save_counter
    for name, part in parts.items():
        if _is_trackable(part):
            yield str(name).replace("/", ".S"), part


def _variables_of(root: Any) -> dict[str, Variable]:
    """All variables that hang on an object, by their keys; each once, by its shortest path."""
    paths: dict[int, str] = {}
    variables: list[tuple[str, Variable]] = []
    optimizers: list[tuple[str, Optimizer]] = []
    waiting: list[tuple[str, Any]] = [("", root)]
    while waiting:
        path, thing = waiting.pop(0)
        if id(thing) in paths:
            continue
        paths[id(thing)] = path
        if isinstance(thing, Variable):
            variables.append((path, thing))
            continue
        if isinstance(thing, Optimizer):
            optimizers.append((path, thing))
        waiting += [(f"{path}/{name}" if path else name, part) for name, part in _children(thing)]
    found = {path + _VALUE: variable for path, variable in variables}
    for where, optimizer in optimizers:
        for slot_name in optimizer.get_slot_names():
            for path, variable in variables:
                slot = optimizer.get_slot(variable, slot_name)
                if slot is not None:
                    found[f"{path}/.OPTIMIZER_SLOT/{where}/{slot_name}{_VALUE}"] = slot
    return found


def _session(session: Any) -> Any:
    session = session or stacks.get_default_session()
    if session is None:
        raise RuntimeError(
            "Checkpoints of graphs need a session: pass one, or make one the default."
        )
    return session


def _read(variables: dict[str, Variable], session: Any) -> dict[str, Any]:
    if all(hasattr(v, "numpy") for v in variables.values()):
        return {key: v.numpy() for key, v in variables.items()}  # type: ignore[attr-defined]
    return _session(session).run(variables)


class CheckpointLoadStatus:
    """What `Checkpoint.restore` found, and what it may still find in objects made later.

    Args:
      root: the object.
      reader: the checkpoint; None when there is none, so that variables are only initialized.
    """

    def __init__(self, root: Any, reader: CheckpointReader | None) -> None:
        self._root = root
        self._reader = reader
        self._done: set[str] = set()

    def _restore(self, session: Any) -> dict[str, Variable]:
        """Gives values to variables that have not got them yet; returns those without any."""
        missing = {}
        for key, variable in _variables_of(self._root).items():
            if self._reader is None or not self._reader.has_tensor(key):
                missing[key] = variable
            elif key not in self._done:
                value = self._reader.get_tensor(key)
                if hasattr(variable, "numpy"):
                    variable.assign(value)
                else:
                    variable.load(value, _session(session))
                self._done.add(key)
        return missing

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
        keys = self._reader.names - {_OBJECTS} if self._reader else set()
        for key in sorted(keys - _variables_of(self._root).keys()):
            where = key.removesuffix(_VALUE).replace("/", ".")
            raise AssertionError(f"Unresolved object in checkpoint (root).{where}: {key}")
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Checks that every variable has its value from the checkpoint.

        Raises:
          AssertionError: when one has not.
        """
        self._restore_now()
        known = self._reader.names if self._reader is not None else set()
        missing = [
            variable
            for key, variable in _variables_of(self._root).items()
            if key not in known and key != "save_counter" + _VALUE
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
        if not self._done:
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
            if not _is_trackable(thing):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from "
                    f"`Trackable`), got {thing}. If you believe this object should be trackable "
                    "(i.e. it is part of the TensorFlow Python API and manages state), please "
                    "open an issue."
                )
            setattr(self, name, thing)

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
        values = _read(_variables_of(self), session)
        objects = json.dumps(sorted(values)).encode()
        names = [_OBJECTS, *values]
        write_checkpoint(file_prefix, names, [""] * len(names), [objects, *values.values()])
        return file_prefix

    def save(self, file_prefix: str, session: Any = None) -> str:
        """Writes a checkpoint under this name and a number, and lists it in the directory.

        Args:
          file_prefix: the start of the path.
          session: holds the variables of a graph; the default session when None.
        Returns: the path, as "/tmp/train/ckpt-1".
        """
        counter = self.save_counter
        if hasattr(counter, "numpy"):
            counter.assign_add(1)
            number = int(counter.numpy())
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
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
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

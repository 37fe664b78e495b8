"""`tf.train.Checkpoint`: saves variables by where they hang in the program's objects, not by name.

    Checkpoint(model=model, optimizer=opt)
        model.dense.kernel    ->  model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE
        its slot `m` in opt   ->  model/dense/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/...

So two programs can share weights whose names differ. The files are those of `Saver`.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import errors, stacks
from minitf.core.variables.variables import Variable
from minitf.library.formats.checkpoint_files import write_checkpoint
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.saving import checkpoint_state
from minitf.library.saving.object_graph import (
    ObjectGraph,
    Record,
    decode,
    encode,
    is_trackable,
    matched,
)

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
    contents = [encode(graph.records), *values.values()]
    write_checkpoint(file_prefix, names, [""] * len(names), contents)


#: checkpoints that have values for variables which are not made yet
_awaited: weakref.WeakSet = weakref.WeakSet()


def restore_awaited() -> None:
    """Gives variables that were just made the values that a checkpoint, read before, has for them.

    Layers call it when they have made theirs.
    """
    for status in list(_awaited):
        with stacks.init_scope():  # a layer may make its variables inside of a loop
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
        self._records: list[Record] | None = None
        if reader is not None and reader.has_tensor(_OBJECTS):
            try:
                self._records = decode(bytes(reader.get_tensor(_OBJECTS)))
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
        if any(r.attributes for n, r in enumerate(self._records or ()) if n not in numbers):
            self._find_session = find_session
            self._root._restored = self
            _awaited.add(self)

    def _found(self) -> tuple[dict[str, Variable], set[int]]:
        """What has a value in the checkpoint, by its keys; the records of all that was found."""
        if self._reader is None:
            return {}, set()
        if self._records:
            found, numbers = matched(self._root, self._records)
            return {k: v for k, v in found.items() if self._reader.has_tensor(k)}, numbers
        own = ObjectGraph(self._root).variables.values()
        return {v._shared_name: v for v in own if self._reader.has_tensor(v._shared_name)}, set()

    def _restore(self, session: Any) -> dict[str, Variable]:
        """Gives values to variables that have not got them yet; returns those without any."""
        found, _ = self._found()
        waiting = {k: v for k, v in found.items() if id(v) not in self._done}
        for key, variable in waiting.items():
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
        for number, record in enumerate(self._records or ()):
            for key in record.attributes.values() if number not in numbers else ():
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

"""`Saver`: writes the variables of a session to a checkpoint, and reads them back.

    saver = tf.train.Saver()
    saver.save(sess, "/tmp/m", global_step=7)
        /tmp/m-7.data-00000-of-00001   the values              checkpoint_files.py
        /tmp/m-7.index                 where each lies
        /tmp/m-7.meta                  the graph               meta_graph.py
        /tmp/checkpoint                which is the newest     checkpoint_state.py
    saver.restore(sess, tf.train.latest_checkpoint("/tmp"))

A saver is two operations of the graph (`saver_builder.py`), so that it works wherever
the variables live.
"""

from __future__ import annotations

import operator
import os
import shutil
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from minitf.core.graph import errors, logging, stacks
from minitf.core.graph.convert import constant
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import GraphKeys
from minitf.core.runtime.session.session import BaseSession
from minitf.library.formats.checkpoint_reader import index_name
from minitf.library.formats.file_io import written_aside
from minitf.library.saving import checkpoint_state, meta_graph
from minitf.library.saving.saver_builder import (
    SaverDef,
    add_restore_ops,
    build,
    save_op,
    saveables_of,
)


def _all_saveable_objects(scope: str | None = None) -> list:
    return stacks.get_collection(GraphKeys.GLOBAL_VARIABLES, scope) + stacks.get_collection(
        GraphKeys.SAVEABLE_OBJECTS, scope
    )


class _WrittenGraph(NamedTuple):
    """A file with a graph, and what the graph was like when it was written."""

    counts: tuple[int, ...]
    collected: list[Any]
    path: str
    stamp: tuple[int, int]

    def holds(self, counts: tuple[int, ...], collected: list[Any]) -> bool:
        """Whether the file is still there, and says what would be written now."""
        return (
            self.counts == counts
            and len(self.collected) == len(collected)
            and all(map(operator.is_, self.collected, collected))
            and _stamp(self.path) == self.stamp
        )


def _stamp(path: str) -> tuple[int, int]:
    """Tells whether somebody else has written a file, or removed it."""
    try:
        found = os.stat(path)
    except OSError:
        return -1, -1
    return found.st_mtime_ns, found.st_size


class Saver:
    """Saves and restores variables.

    Args:
      var_list: the variables, as a list or as a dict from the names in the checkpoint; all global
        variables by default.
      reshape: restore values whose shape is another one but whose number of elements is the same.
      sharded: each device writes a file of its own.
      max_to_keep: how many of the newest checkpoints are kept; None or 0 keeps all.
      keep_checkpoint_every_n_hours: keep one checkpoint for good each time so many hours went by.
      name: the name scope of the operations; "save" by default.
      restore_sequentially: not used; restoring is one operation.
      saver_def: the nodes of a saver that are in the graph already.
      builder: not used; here since TensorFlow has it.
      defer_build: add the operations later, at `build()`.
      allow_empty: be a saver that does nothing when there are no variables.
      write_version: not used; there is one format.
      pad_step_number: write the step with eight digits, so that names sort.
      save_relative_paths: write paths relative to the directory, so that it may move.
      filename: the path when none is fed.

    Raises:
      TypeError: when something cannot be saved.
      ValueError: when there is nothing to save, or two things have one name.
    Example:
      >>> v = tf.Variable(3.0, name="v")
      >>> saver = tf.train.Saver()
      >>> sess.run(tf.global_variables_initializer())
      >>> path = saver.save(sess, "/tmp/model/m", global_step=7)
      >>> sess.run(v.assign(0.0))
      0.0
      >>> saver.restore(sess, path)
      >>> sess.run(v)
      3.0
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: SaverDef | None = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        if saver_def is not None and not isinstance(saver_def, SaverDef):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {saver_def}")
        self._var_list = var_list
        self._name = name
        self._sharded = sharded
        self._build: dict[str, Any] = {
            "reshape": reshape,
            "sharded": sharded,
            "max_to_keep": max_to_keep or 0,
            "keep_checkpoint_every_n_hours": keep_checkpoint_every_n_hours,
            "name": name,
            "filename": filename or "model",
        }
        self._allow_empty = allow_empty
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._is_built = False
        self._is_empty = False
        self._last_checkpoints: list[tuple[str, float]] = []
        self._to_be_deleted: list[tuple[str, float]] = []
        self._next_checkpoint_time = 0.0
        self._graph_file: _WrittenGraph | None = None
        self.saver_def: Any = saver_def
        self._runs_at_once = stacks.executing_eagerly()
        if self._runs_at_once:
            if var_list is None:
                raise RuntimeError(
                    "When eager execution is enabled, `var_list` must specify a list or dict of "
                    "variables to save"
                )
            self._is_built = True
            self.saver_def = SaverDef(
                max_to_keep=max_to_keep or 0,
                sharded=sharded,
                keep_checkpoint_every_n_hours=float(keep_checkpoint_every_n_hours),
            )
        elif not defer_build:
            self.build()

    def build(self) -> None:
        """Adds the operations, when the making of the saver left that for later."""
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is None:
            if self._var_list is None:
                self._var_list = _all_saveable_objects()
            if not self._var_list:
                if not self._allow_empty:
                    raise ValueError("No variables to save")
                self._is_empty = True
                return
            self.saver_def = build(self._var_list, **self._build)
        elif self._name:  # the nodes were imported under this scope
            scope = self._name.rstrip("/")
            for key in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
                setattr(self.saver_def, key, f"{scope}/{getattr(self.saver_def, key)}")
        self._next_checkpoint_time = (
            time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600
        )

    # ---- saving ----------------------------------------------------------------------------

    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Writes a checkpoint.

        Args:
          sess: the session that holds the variables.
          save_path: where, without a suffix.
          global_step: a number, variable or tensor to append: "model.ckpt-7".
          latest_filename: the name of the file that lists the checkpoints; "checkpoint" by default.
          meta_graph_suffix: how the name of the graph's file ends.
          write_meta_graph: also write the graph.
          write_state: also list it in the file `checkpoint`, and remove what is too old.
          strip_default_attrs, save_debug_info: not used; here since TensorFlow has them.

        Returns: the path of the checkpoint; None for an empty saver.
        Raises:
          TypeError: when `sess` is no session.
          ValueError: when the names do not fit, or more than one folder of the path is missing.
          OpError: when a variable has no value or the files cannot be written.
        """
        if not self._is_built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or "checkpoint"
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = os.fsdecode(save_path)
        if global_step is not None:
            path = self._path_of_step(sess, save_path, global_step)
        else:
            path = save_path
            if os.path.basename(save_path) == latest_filename and not self._sharded:
                raise ValueError(
                    f"'latest_filename' collides with 'save_path': '{latest_filename}' and "
                    f"'{save_path}'"
                )
        if not isinstance(sess, BaseSession) and not self._runs_at_once:
            raise TypeError(f"'sess' must be a Session; {sess}")
        written = None
        parent = os.path.dirname(path)
        if parent and not os.path.isdir(os.path.dirname(parent) or "."):  # only one folder is made
            raise ValueError(f"Parent directory of {path} doesn't exist, can't save.")
        if not self._is_empty:
            written = self._write(sess, path)
            if write_state:
                self._record(written, latest_filename, meta_graph_suffix)
        if write_meta_graph and not self._runs_at_once:
            name = checkpoint_state.meta_graph_filename(path, meta_graph_suffix)
            with sess.graph.as_default():
                self._write_graph(sess.graph, name)
        return written

    def _write_graph(self, graph: Graph, path: str) -> None:
        """Writes the graph; the file of the last time is copied when nothing has changed."""
        counts = id(graph), graph.version, graph._mutations, graph._refinements
        keys = graph.collections
        collected = [each for key in keys for each in (key, *graph.get_collection(key))]
        last = self._graph_file
        if last is None or not last.holds(counts, collected):
            self.export_meta_graph(path)
        elif last.path != path:
            with written_aside(path, last.stamp[1]) as file, open(last.path, "rb") as source:
                shutil.copyfileobj(source, file)
        self._graph_file = _WrittenGraph(counts, collected, path, _stamp(path))

    def _path_of_step(self, sess: Any, save_path: str, global_step: Any) -> str:
        if not hasattr(global_step, "__index__"):
            global_step = int(sess.run(global_step))
        step = f"{int(global_step):08d}" if self._pad_step_number else f"{int(global_step)}"
        return f"{save_path}-{step}"

    def _write(self, sess: Any, path: str) -> str:
        if self._runs_at_once:
            save_op(constant(path), saveables_of(self._var_list))
            return path
        saver = self.saver_def
        saved = sess.run(saver.save_tensor_name, {saver.filename_tensor_name: path})
        return saved.decode() if isinstance(saved, bytes) else saved

    def _record(self, path: str, latest_filename: str, meta_graph_suffix: str) -> None:
        """Lists a new checkpoint, and removes the oldest that is too many."""
        if self.saver_def.max_to_keep:
            self._last_checkpoints = [each for each in self._last_checkpoints if each[0] != path]
            self._last_checkpoints.append((path, time.time()))
            if len(self._last_checkpoints) > self.saver_def.max_to_keep:
                self._to_be_deleted.append(self._last_checkpoints.pop(0))
        checkpoint_state.update_checkpoint_state(
            os.path.dirname(path),
            path,
            self.last_checkpoints,
            latest_filename,
            save_relative_paths=self._save_relative_paths,
        )
        self._remove_old(meta_graph_suffix)

    def _remove_old(self, meta_graph_suffix: str) -> None:
        if not self._to_be_deleted:
            return
        path, written = self._to_be_deleted.pop(0)
        if written > self._next_checkpoint_time:
            self._next_checkpoint_time += self.saver_def.keep_checkpoint_every_n_hours * 3600
            return
        try:
            checkpoint_state.remove_checkpoint(path, meta_graph_suffix=meta_graph_suffix)
        except OSError as error:
            logging.warning("Ignoring: %s", error)

    # ---- restoring -------------------------------------------------------------------------

    def restore(self, sess: Any, save_path: str) -> None:
        """Reads a checkpoint: its variables have values afterwards, and need no initializer.

        Args:
          sess: the session that holds the variables.
          save_path: what `save` returned, or `latest_checkpoint`.
        Raises:
          ValueError: when there is no such checkpoint.
          NotFoundError: when it lacks a variable.
          InvalidArgumentError: when a variable has another type or shape there.
          DataLossError: when a file is torn.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        save_path = os.fsdecode(save_path)
        if not checkpoint_state.checkpoint_exists(save_path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        logging.info("Restoring parameters from %s", save_path)
        try:
            if self._runs_at_once:
                saveables = saveables_of(self._var_list)
                add_restore_ops(constant(save_path), saveables, False, "restore_all")
                return
            saver = self.saver_def
            sess.run(saver.restore_op_name, {saver.filename_tensor_name: save_path})
        except (errors.NotFoundError, errors.InvalidArgumentError) as error:
            raise _explained(error, save_path) from error

    # ---- which checkpoints there are -------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that are kept, oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: Sequence[tuple[str, float]]
    ) -> None:
        """Says which checkpoints there are, oldest first, as (path, seconds since 1970)."""
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError("last_checkpoints must be a list")
        self._last_checkpoints = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Goes on from the checkpoints of an earlier program, of which those that exist count."""
        there = [path for path in checkpoint_paths if checkpoint_state.checkpoint_exists(path)]
        times = checkpoint_state.get_checkpoint_mtimes(there)
        self.set_last_checkpoints_with_time(list(zip(there, times)))

    # ---- as data ---------------------------------------------------------------------------

    def as_saver_def(self) -> SaverDef:
        """Returns the names of the operations."""
        return self.saver_def

    def to_proto(self) -> SaverDef | None:
        """Returns the names of the operations."""
        return self.saver_def

    @staticmethod
    def from_proto(saver_def: SaverDef, import_scope: str | None = None) -> Saver:
        """Makes the saver for operations that stand in the default graph already."""
        return Saver(saver_def=saver_def, name=import_scope)

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Sequence[str] | None = None,
        as_text: bool = False,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> meta_graph.MetaGraphDef:
        """Writes the default graph with its collections and this saver; see `export_meta_graph`."""
        return meta_graph.export_meta_graph(
            filename=filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
        )


def _explained(error: Any, path: str) -> errors.OpError:
    cause = "a mismatch between the current graph and the graph"
    if isinstance(error, errors.NotFoundError):
        cause = "a Variable name or other graph key that is missing"
    text = error.message
    if "(file: " not in text:
        text += f" (file: {index_name(path)}{_variable_of(error.op)})"
    return type(error)(
        error.node_def,
        error.op,
        f"Restoring from checkpoint failed. This is most likely due to {cause} from the "
        "checkpoint. Please ensure that you have not altered the graph expected based on the "
        f"checkpoint. Original error:\n\n{text}",
    )


def _variable_of(op: Any) -> str:
    """Names the variable that an `Assign` of the saver writes."""
    return f", variable: {op.inputs[0].op.name}" if op is not None and op.type == "Assign" else ""


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Adds a graph that `export_meta_graph` or `Saver.save` wrote to the default graph.

    Args:
      meta_graph_or_file: a `MetaGraphDef`, or the path of a file: "model.ckpt-7.meta".
      clear_devices: leave all devices open.
      import_scope: a name scope to put everything under.
      kwargs: `input_map` and other arguments of `import_graph_def`.
    Returns: a saver for its variables; None when it has none.
    Raises:
      OSError: when there is no such file, or it is of another kind.
    Example:
      >>> W = tf.get_variable("W", initializer=3.0)
      >>> sess.run(W.initializer)
      >>> path = tf.train.Saver().save(sess, "/tmp/model.ckpt", global_step=7)
      >>> with tf.Graph().as_default(), tf.Session() as other:
      ...     tf.train.import_meta_graph("/tmp/model.ckpt-7.meta").restore(other, path)
      ...     print(other.run("W:0"))
      3.0
    """
    imported, scope = meta_graph.import_scoped_meta_graph(
        meta_graph_or_file, clear_devices, import_scope=import_scope, **kwargs
    )
    saver_def = imported.saver_def
    if saver_def is not None:
        return Saver(saver_def=saver_def, name=scope.rstrip("/"))
    if _all_saveable_objects(import_scope):
        return Saver()
    logging.info("Saver not created because there are no variables in the graph to restore")
    return None


meta_graph.register_proto_function(GraphKeys.SAVERS, SaverDef, Saver.to_proto, Saver.from_proto)

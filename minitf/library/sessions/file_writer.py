"""`tf.summary.FileWriter`: from summaries, graphs and traces to events, and those to a file.

summary bytes --+
Graph ----------+--> Event (wall time, step) --> records --> TensorBoard
RunMetadata ----+               events.out.tfevents.<time>.<host>...

The system writes to the disk later: a record goes to its buffers, and a flush there as well.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
import warnings
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from minitf.core.graph import logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import GraphDef
from minitf.core.runtime.session.config import RunMetadata
from minitf.library.formats import wire
from minitf.library.formats.records import TFRecordWriter, tf_record_iterator
from minitf.library.formats.summary_protos import protos
from minitf.library.saving.meta_graph import meta_graph_bytes
from minitf.library.summary.summary import graph_proto, run_metadata_proto

_numbers = itertools.count()


class EventFileWriter:
    """Writes events to a new file of a folder.

    Args:
      logdir: the folder; it is made.
      max_queue: accepted; events are written at once.
      flush_secs: how long an event may stay in the program's buffer, in seconds.
      filename_suffix: the end of the file's name.
      graph: a graph to add at once.
      graph_def: a `GraphDef` to add at once, as old programs do.
    """

    def __init__(
        self,
        logdir: Any,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str | None = None,
        graph: Any = None,
        graph_def: Any = None,
    ) -> None:
        self._logdir = os.fsdecode(logdir)
        os.makedirs(self._logdir, exist_ok=True)
        self._flush_secs = flush_secs
        self._suffix = filename_suffix or ""
        self._records: TFRecordWriter | None = None
        self._run_tags: set[str] = set()
        self._described: set[str] = set()
        self.reopen()
        if graph is not None or graph_def is not None:
            data = self.add_graph(graph=graph, graph_def=graph_def)
            whole = meta_graph_bytes(None) + wire.field(2, data)  # its field `graph_def`
            self._add_event(protos().Event(meta_graph_def=whole), None)

    # ---- the file --------------------------------------------------------------------------

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    def reopen(self) -> None:
        """Begins another file after `close`; does nothing while one is open."""
        if self._records is not None:
            return
        name = f"{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
        path = os.path.join(self._logdir, f"events.out.tfevents.{name}{self._suffix}")
        self._records = TFRecordWriter(path)
        self._due = time.monotonic() + self._flush_secs
        # Whoever forgets to close has the events on disk all the same, at the latest at exit.
        self._stop = weakref.finalize(self, self._records.close)
        self.add_event(protos().Event(wall_time=time.time(), file_version="brain.Event:2"))

    def add_event(self, event: Any) -> None:
        """Writes a `tf.Event`; it is dropped when the file is closed."""
        if self._records is not None:
            self._records.write(event.SerializeToString())
            if time.monotonic() >= self._due:
                self.flush()

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        if self._records is not None:
            self._records.flush()
            self._due = time.monotonic() + self._flush_secs

    def close(self) -> None:
        """Writes what is left and closes the file."""
        if self._records is not None:
            self._records = None
            self._stop()

    # ---- what is added ---------------------------------------------------------------------

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds a summary.

        Args:
          summary: a `tf.Summary`, or the bytes of one, as `Session.run` returns them.
          global_step: the step.
        """
        if isinstance(summary, bytes):
            summary = protos().Summary.FromString(summary)
        for value in summary.value:  # a tag is described once; that saves space
            if not value.HasField("metadata"):
                continue
            if value.tag in self._described:
                value.ClearField("metadata")
            self._described.add(value.tag)
        self._add_event(protos().Event(summary=summary), global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds a `SessionLog`, which tells that a session started, stopped or saved."""
        self._add_event(protos().Event(session_log=session_log), global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> bytes:
        """Adds a graph, which TensorBoard then draws; returns it as it is written.

        Args:
          graph: a `Graph`.
          global_step: the step.
          graph_def: a `GraphDef`, in place of `graph`.
        Raises:
          ValueError: when both are given, or none.
          TypeError: when it is no graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        given = graph_def if graph is None else graph
        if isinstance(given, Graph):
            given = given.as_graph_def(add_shapes=True)
        elif isinstance(given, GraphDef):
            logging.warning(
                "Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object "
                "instead, such as `sess.graph`."
            )
        elif given is None:
            raise ValueError("The argument type passed to `graph` must be `Graph`; found None.")
        else:
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"
            )
        data = given.SerializeToString()
        if data.startswith(b"{"):  # not all of it is TensorFlow's, but all can be drawn
            data = graph_proto(given).SerializeToString()
        self._add_event(protos().Event(graph_def=data), global_step)
        return bytes(data)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Adds the graph of a `MetaGraphDef`.

        Raises:
          TypeError: when it is none.
        """
        if not isinstance(getattr(meta_graph_def, "graph_def", None), GraphDef):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        try:
            data = meta_graph_bytes(meta_graph_def)
        except ValueError:  # not all of it is TensorFlow's, but all can be drawn
            message = protos().MetaGraphDef(graph_def=graph_proto(meta_graph_def.graph_def))
            data = message.SerializeToString()
        self._add_event(protos().Event(meta_graph_def=data), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Adds what a traced run told: TensorBoard then shows times and sizes in the graph.

        Args:
          run_metadata: the `RunMetadata` of a run with `RunOptions.FULL_TRACE`.
          tag: the name under which to find it.
          global_step: the step.
        Raises:
          ValueError: when the tag was used before.
        """
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        if isinstance(run_metadata, RunMetadata):
            run_metadata = run_metadata_proto(run_metadata)
        tagged = protos().TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add_event(protos().Event(tagged_run_metadata=tagged), global_step)

    def _add_event(self, event: Any, step: Any) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.add_event(event)


class FileWriter(EventFileWriter, AbstractContextManager["FileWriter"]):
    """Writes events to a new file of a folder, which TensorBoard reads.

    As a context manager it closes itself at the end.

    Args:
      logdir: the folder; it is made.
      graph: a graph to add at once.
      max_queue: accepted; events are written at once.
      flush_secs: how long an event may stay in the program's buffer, in seconds.
      graph_def: a `GraphDef`, as old programs give it.
      filename_suffix: the end of the file's name.
      session: accepted; the writer belongs to this process in any case.
    Raises:
      RuntimeError: while executing eagerly.
      ImportError: when the package `tensorboard` is missing.
    Example:
      >>> merged = tf.summary.scalar("loss", tf.constant(0.5))
      >>> with tf.summary.FileWriter("/tmp/log", sess.graph) as writer:
      ...     writer.add_summary(sess.run(merged), global_step=1)
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if stacks.executing_eagerly():
            raise RuntimeError(
                "tf.summary.FileWriter is not compatible with eager execution. Use "
                "tf.contrib.summary instead."
            )
        super().__init__(logdir, max_queue, flush_secs, filename_suffix, graph, graph_def)

    def add_event(self, event: Any) -> None:
        """Adds a `tf.Event` as it is."""
        if self._records is None:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=2,
            )
        super().add_event(event)

    def __exit__(self, *exc_info: Any) -> None:
        self.close()


def summary_iterator(path: Any) -> Iterator[Any]:
    """Yields the events of an event file, as `tf.Event`.

    Args:
      path: the file.
    Example:
      >>> with tf.summary.FileWriter("/tmp/seen") as writer:
      ...     writer.add_summary(sess.run(tf.summary.scalar("loss", 0.5)), global_step=7)
      >>> for event in tf.train.summary_iterator(tf.gfile.Glob("/tmp/seen/*")[0]):
      ...     for value in event.summary.value:
      ...         print(event.step, value.tag, value.simple_value)
      7 loss 0.5
    """
    for record in tf_record_iterator(path):
        yield protos().Event.FromString(record)


class FileWriterCache:
    """One writer a folder, shared by all who ask."""

    _cache: ClassVar[dict[str, FileWriter]] = {}
    _lock = threading.RLock()

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer of a folder; a new one adds the default graph."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._cache:
                graph = stacks.get_default_graph()
                FileWriterCache._cache[logdir] = FileWriter(logdir, graph=graph)
            return FileWriterCache._cache[logdir]

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache.clear()


# ---- what hooks and supervisors write ----------------------------------------------------


def writer_of(directory: str | None) -> Any:
    """Returns the writer of events for a directory; None, with a warning, when there cannot be one.

    Training goes on without summaries where the package that writes them is missing.
    """
    if not directory:
        return None
    try:
        return FileWriterCache.get(directory)
    except ImportError as error:
        logging.warning("No summaries are written: %s", error)
        return None


def scalar_summary(tag: str, value: float) -> Any:
    """A summary of one number."""
    return protos().Summary(value=[protos().Summary.Value(tag=tag, simple_value=value)])


def session_log(status: str, checkpoint_path: str = "") -> Any:
    """A note that a session started, stopped or saved: "START", "STOP" or "CHECKPOINT"."""
    kind = protos().SessionLog
    return kind(status=getattr(kind, status), checkpoint_path=checkpoint_path)


def write_speed(writer: Any, global_step: Any, speed: float, step: int) -> None:
    """Writes how many steps are made in a second as the summary "global_step/sec", and logs it.

    Args:
      writer: writes summaries; None only logs.
      global_step: the variable or tensor that counts the steps.
      speed: steps in a second.
      step: the step now.
    """
    tag = f"{global_step.op.name}/sec"
    if writer is not None:
        writer.add_summary(scalar_summary(tag, speed), step)
    logging.info("%s: %g", tag, speed)

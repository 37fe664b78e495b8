"""`tf.summary.FileWriter`: from summaries, graphs and traces to events, and those to a file.

summary bytes --+
Graph ----------+--> Event (wall time, step) --> EventFileWriter --> TensorBoard
RunMetadata ----+
"""

from __future__ import annotations

import threading
import time
import warnings
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from minitf.core.graph import logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import GraphDef
from minitf.core.runtime.session.config import RunMetadata
from minitf.library.formats import wire
from minitf.library.formats.event_file import EventFileWriter
from minitf.library.formats.summary_protos import protos
from minitf.library.saving.meta_graph import meta_graph_bytes
from minitf.library.summary.graph_proto import graph_proto, run_metadata_proto


class SummaryToEventTransformer:
    """Makes an event of whatever is added; a subclass has `event_writer`, which takes it.

    Args:
      event_writer: an object with `add_event`, `flush`, `close` and `reopen`.
      graph: a graph to add at once.
      graph_def: a `GraphDef` to add at once, as old programs do.
    """

    def __init__(self, event_writer: Any, graph: Any = None, graph_def: Any = None) -> None:
        self.event_writer = event_writer
        self._run_tags: set[str] = set()
        self._described: set[str] = set()
        if graph is not None or graph_def is not None:
            data = self.add_graph(graph=graph, graph_def=graph_def)
            whole = meta_graph_bytes(None) + wire.field(2, data)  # its field `graph_def`
            self._add_event(protos().Event(meta_graph_def=whole), None)

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
        self.event_writer.add_event(event)


class FileWriter(SummaryToEventTransformer, AbstractContextManager["FileWriter"]):
    """Writes events to a new file of a folder, which TensorBoard reads.

    Writing happens in a thread of its own. As a context manager it closes itself at the end.

    Args:
      logdir: the folder; it is made.
      graph: a graph to add at once.
      max_queue: how many events may wait to be written.
      flush_secs: how long an event may wait until it is on disk, in seconds.
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
        self._closed = False
        writer = EventFileWriter(logdir, max_queue, flush_secs, filename_suffix)
        super().__init__(writer, graph, graph_def)

    def get_logdir(self) -> str:
        """The folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Any) -> None:
        """Adds a `tf.Event` as it is."""
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=2,
            )
        self.event_writer.add_event(event)

    def _add_event(self, event: Any, step: Any) -> None:
        if self._closed:
            self.add_event(event)
        super()._add_event(event, step)

    def flush(self) -> None:
        """Waits until all events are on disk."""
        self.event_writer.flush()

    def close(self) -> None:
        """Writes what is left and closes the file."""
        self.event_writer.close()
        self._closed = True

    def reopen(self) -> None:
        """Begins another file after `close`; does nothing while one is open."""
        self.event_writer.reopen()
        self._closed = False

    def __exit__(self, *exc_info: Any) -> None:
        self.close()


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

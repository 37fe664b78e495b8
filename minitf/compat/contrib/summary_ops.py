"""`tf.contrib.summary`: summaries that are written where they are computed, also eagerly.

    writer = tf.contrib.summary.create_file_writer("/tmp/log")
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("loss", loss, step=step)

In a graph each of them is an operation; `all_summary_ops()` has them, to be run with a step.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.control import no_op
from minitf.library.eager.script_ops import py_func
from minitf.library.graph_tools.branches import smart_cond
from minitf.library.sessions.file_writer import EventFileWriter
from minitf.library.sessions.training_util import get_or_create_global_step
from minitf.library.summary import summary

OPS, _WRITERS = "_SUMMARY_V2", "_SUMMARY_WRITER_V2"  # collections


class _Here(threading.local):
    """Of this thread: the writer, whether to record, and the step of what says none."""

    writer: Any = None
    recording: Any = None  # not said: version 2 records then
    step: Any = None


here = _Here()


class SummaryWriter:
    """Writes to a file of a folder, which is made when it is first needed.

    Args:
      logdir: the folder; None for a writer that writes nothing.
      max_queue: how many events may wait.
      flush_secs: how long they may.
      filename_suffix: the end of the file's name.
    """

    def __init__(
        self, logdir: str | None, max_queue: int, flush_secs: float, filename_suffix: str
    ) -> None:
        self._logdir, self._options = logdir, (max_queue, flush_secs, filename_suffix)
        self._events: Any = None
        self._lock = threading.Lock()
        if logdir is not None and not stacks.executing_eagerly():
            stacks.add_to_collection(_WRITERS, self.init())

    def _opened(self) -> Any:
        with self._lock:
            if self._events is None and self._logdir is not None:
                self._events = EventFileWriter(self._logdir, *self._options)
            return self._events

    def set_as_default(self, step: Any = None) -> None:
        """Makes it the one that is written to, in this thread; version 2 may say the step, too."""
        here.writer = None if self._logdir is None else self
        here.step = here.step if step is None else step

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """A context in which it is the one that is written to; see `set_as_default`."""
        before = here.writer, here.step
        self.set_as_default(step)
        try:
            yield self
            self.flush()
        finally:
            here.writer = before[0]
            here.step = here.step if step is None else before[1]

    def init(self) -> Any:
        """Opens the file; an operation, in a graph."""
        return _done(lambda: self._opened() and None)

    def flush(self) -> Any:
        """Waits until all is on disk; an operation, in a graph."""
        return _done(lambda: self._events and self._events.flush())

    def close(self) -> Any:
        """Closes the file; an operation, in a graph."""
        return _done(lambda: self._events and self._events.close())

    def _add(self, serialized: Any, step: Any) -> np.ndarray:
        return self.add(_bytes(serialized), step)

    def add(self, summary_proto: Any, step: Any) -> np.ndarray:
        """Writes a `Summary` of a step."""
        self._opened().add_summary(summary_proto, int(step))
        return np.array(True)


def _bytes(value: Any) -> bytes:
    return value.item() if isinstance(value, np.ndarray) else bytes(value)


def _done(act: Callable[[], Any]) -> Any:
    """Does it now when executing eagerly; otherwise it is an operation that does it."""

    def acted() -> np.ndarray:
        act()
        return np.array(True)

    if stacks.executing_eagerly():
        act()
        return None
    return py_func(acted, [], dtypes.bool).op


def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Makes a writer; with no folder it writes nothing.

    Args:
      logdir: the folder.
      max_queue: how many events may wait; 10 by default.
      flush_millis: how long they may, in milliseconds; two minutes by default.
      filename_suffix: the end of the file's name; ".v2" by default.
      name: accepted.
    """
    seconds = 120.0 if flush_millis is None else flush_millis / 1000
    place = None if logdir is None else str(logdir)
    return SummaryWriter(place, max_queue or 10, seconds, filename_suffix or ".v2")


# ---- whether to record ---------------------------------------------------------------------------


@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """A context in which summaries are recorded if a bool, a tensor or a function says so."""
    before = here.recording
    here.recording = condition
    try:
        yield
    finally:
        here.recording = before


def always_record_summaries() -> Any:
    """A context in which summaries are recorded."""
    return record_if(True)


def should_record_summaries() -> Any:
    """Whether they are recorded here: a bool, or a tensor; no, if nothing was said."""
    wanted = here.recording() if callable(here.recording) else here.recording
    return False if wanted is None else wanted


# ---- what is recorded ----------------------------------------------------------------------------


def _recorded(make: Callable[[], Tensor], step: Any) -> Any:
    """Writes the summary that `make` gives, if that is wanted."""
    writer = here.writer
    if writer is None:
        return no_op()

    # The tag has no part of the condition in it.
    outer = stacks.get_default_graph().get_name_scope()

    def record() -> Tensor:
        with stacks.name_scope(f"{outer}/" if outer else None):
            serialized = make()
        now = get_or_create_global_step() if step is None else step
        now = convert_to_tensor(now, dtypes.int64) if isinstance(now, int) else identity(now)
        return py_func(writer._add, [serialized, now], dtypes.bool)

    done = smart_cond(should_record_summaries(), record, lambda: constant(False))
    if not stacks.executing_eagerly():
        stacks.add_to_collection(OPS, done)
    return done


def scalar(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """Records a number; see `tf.summary.scalar`. The step is the global step by default."""
    return _recorded(lambda: summary.scalar(name, identity(tensor), [], family), step)


@functools.wraps(summary.scalar)
def scalar_of_both(name: str, *args: Any, **kwargs: Any) -> Any:
    """`tf.summary.scalar`; called as that of version 2, it records the number at once."""
    later = not kwargs.keys().isdisjoint(("data", "step"))
    if not later and not (stacks.executing_eagerly() and here.writer is not None):
        return summary.scalar(name, *args, **kwargs)
    given = args[0] if args else kwargs.get("data", kwargs.get("tensor"))
    step = kwargs.get("step", here.step)
    with record_if(True if here.recording is None else here.recording):
        return scalar(name, given, step=step)


# ---- a run ---------------------------------------------------------------------------------------


def all_summary_ops() -> list[Any] | None:
    """The operations that record, to be run with each step."""
    return None if stacks.executing_eagerly() else stacks.get_collection(OPS)

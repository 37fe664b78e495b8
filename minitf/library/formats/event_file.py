"""Event files: where a program leaves what TensorBoard shows.

    FileWriter --add_event--> queue --one thread--> records --> events.out.tfevents.<time>.<host>...

The program never waits for the disk, except when the queue is full.
"""

from __future__ import annotations

import itertools
import os
import queue
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

from minitf.library.formats.records import TFRecordWriter, tf_record_iterator
from minitf.library.formats.summary_protos import protos

_numbers = itertools.count()


class EventFileWriter:
    """Writes events to a new file of a folder.

    Args:
      logdir: the folder; it is made.
      max_queue: how many events may wait to be written.
      flush_secs: how long an event may wait until it is on disk, in seconds.
      filename_suffix: the end of the file's name.
    """

    def __init__(
        self,
        logdir: Any,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str | None = None,
    ) -> None:
        self._logdir = os.fsdecode(logdir)
        os.makedirs(self._logdir, exist_ok=True)
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._suffix = filename_suffix or ""
        self._worker: _Worker | None = None
        self.reopen()

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    def reopen(self) -> None:
        """Begins another file after `close`; does nothing while one is open."""
        if self._worker is not None:
            return
        name = f"{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
        path = os.path.join(self._logdir, f"events.out.tfevents.{name}{self._suffix}")
        self._worker = _Worker(path, self._max_queue, self._flush_secs)
        # Whoever forgets to close has the events on disk all the same, at the latest at exit.
        self._stop = weakref.finalize(self, self._worker.stop)
        self.add_event(protos().Event(wall_time=time.time(), file_version="brain.Event:2"))

    def add_event(self, event: Any) -> None:
        """Hands an event to the writing thread; it is dropped when the file is closed."""
        if self._worker is not None:
            self._worker.put(event.SerializeToString())

    def flush(self) -> None:
        """Waits until all events are on disk."""
        if self._worker is not None:
            self._worker.flush()

    def close(self) -> None:
        """Writes what is left and closes the file."""
        if self._worker is not None:
            self._worker = None
            self._stop()


class _Worker(threading.Thread):
    """The thread that writes one file."""

    def __init__(self, path: str, max_queue: int, flush_secs: float) -> None:
        super().__init__(name=f"EventFileWriter {path}", daemon=True)
        self._records = TFRecordWriter(path)
        self._queue: queue.Queue[bytes | None] = queue.Queue(max(max_queue, 0))
        self._flush_secs = flush_secs
        self._failure: Exception | None = None
        self.start()

    def put(self, record: bytes | None) -> None:
        self._check()
        self._queue.put(record)

    def flush(self) -> None:
        self._queue.join()
        self._check()
        self._records.flush()

    def stop(self) -> None:
        self._queue.put(None)
        self.join()
        self._records.close()
        self._check()

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def run(self) -> None:
        due = time.monotonic() + self._flush_secs
        while True:
            record = self._queue.get()
            try:
                if record is None:
                    return
                if self._failure is None:
                    self._records.write(record)
                if time.monotonic() >= due:
                    self._records.flush()
                    due = time.monotonic() + self._flush_secs
            except Exception as failure:  # the program hears of it at its next call
                self._failure = failure
            finally:
                self._queue.task_done()


def summary_iterator(path: Any) -> Iterator[Any]:
    """Yields the events of an event file, as `tf.Event`.

    Args:
      path: the file.
    Example:
      >>> with tf.summary.FileWriter("/tmp/log") as writer:
      ...     writer.add_summary(sess.run(tf.summary.scalar("loss", 0.5)), global_step=7)
      >>> for event in tf.train.summary_iterator(tf.gfile.Glob("/tmp/log/*")[0]):
      ...     for value in event.summary.value:
      ...         print(event.step, value.tag, value.simple_value)
      7 loss 0.5
    """
    for record in tf_record_iterator(path):
        yield protos().Event.FromString(record)

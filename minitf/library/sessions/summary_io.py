"""The writer of events that the hooks of training share, and the messages they write."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import logging
from minitf.library.formats.summary_protos import protos
from minitf.library.sessions.file_writer import FileWriterCache


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

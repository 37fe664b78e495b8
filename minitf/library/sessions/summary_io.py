"""The writer of events that the hooks of training share, and the messages they write."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import logging
from minitf.library.formats.summary_protos import protos
from minitf.library.summary.writer import FileWriterCache


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

"""Where the hooks of training get their writer of events from.

The writers are in the room `summary`, on the same floor; the face of the library introduces the two
to each other: `set_writer_source(FileWriterCache.get)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.ops.summary_protos import protos
from minitf.platform import logging

_source: Callable[[str], Any] | None = None


def set_writer_source(source: Callable[[str], Any]) -> None:
    """Says where writers come from: a function from a directory to its writer."""
    global _source
    _source = source


def writer_of(directory: str | None) -> Any:
    """Returns the writer of events for a directory; None, with a warning, when there cannot be one.

    Training goes on without summaries where the package that writes them is missing.
    """
    if not directory or _source is None:
        return None
    try:
        return _source(directory)
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

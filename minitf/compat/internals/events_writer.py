"""`tensorflow.python.pywrap_tensorflow.EventsWriter`: event files without a session.

Loggers of reinforcement learning write numbers with it: `writer.WriteEvent(event)`.
"""

from __future__ import annotations

import os
from typing import Any

from minitf.library.formats.event_file import EventFileWriter


class EventsWriter:
    """Writes events to a file.

    Args:
      file_prefix: the folder and the beginning of the file's name.
    """

    def __init__(self, file_prefix: Any) -> None:
        self._writer = EventFileWriter(os.path.dirname(os.fsdecode(file_prefix)) or ".")

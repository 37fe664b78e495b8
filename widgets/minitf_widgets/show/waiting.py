"""One line below a cell that is at work and has shown nothing yet: where it is, and how long.

    6 s in line 4: cluster = tf.cluster.start_local(worker=2)

    a thread, once a second -> the line at which the cell's own thread stands -> the line is shown
    the first output of the cell, or its end                                  -> the line is cleared

A cell that has shown something gets no line, since one can only clear all outputs of a cell. The
line is gone before anything else is shown, so a saved notebook has nothing of it.
"""

from __future__ import annotations

import contextlib
import linecache
import sys
import threading
import time
from typing import Any

from minitf_widgets.show.cards import MONO, MUTED
from minitf_widgets.svg import element

__all__ = ["Waiting"]

LATE = 2.0  # seconds after which a cell has a line
OUTPUTS = ("stream", "display_data", "execute_result", "error", "input_request")
CELL = ("<module>", "<cell line")  # how code of a cell is called, outside of functions


class Waiting:
    """Tells of the cells that a kernel runs, from the present one on, until `close`.

    Args:
      shell: IPython's, of a kernel.
    """

    def __init__(self, shell: Any) -> None:
        self._shell, self._lock = shell, threading.Lock()
        self._session, self._publisher = shell.kernel.session, shell.display_pub
        self._send, self._session.send = self._session.send, self._watched_send
        self._over = threading.Event()  # of the present cell
        self._silent = self._shown = False
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)
        self._begin()

    def close(self) -> None:
        """Leaves the kernel as it was."""
        self._end()
        self._session.send = self._send
        self._shell.events.unregister("pre_run_cell", self._begin)
        self._shell.events.unregister("post_run_cell", self._end)

    def _begin(self, _info: Any = None) -> None:
        self._end()
        self._silent, self._over = True, threading.Event()
        about = self._over, threading.get_ident()
        with contextlib.suppress(RuntimeError):  # no threads, as in a browser
            threading.Thread(target=self._look, args=about, name="waiting", daemon=True).start()

    def _end(self, _result: Any = None) -> None:
        self._over.set()
        self._clear()

    def _look(self, over: threading.Event, thread: int) -> None:
        """Tells once a second where the thread of a cell is."""
        code: Any = None
        begun = since = time.monotonic()
        while not over.wait(1.0):
            frame = sys._current_frames().get(thread)
            while frame and not self._is_cell(frame):
                frame = frame.f_back
            if frame is None:
                continue
            now = time.monotonic()
            if frame.f_code is not code:  # each statement of a cell has a code of its own
                since, code = now if code else begun, frame.f_code
            if now - begun >= LATE:
                text = linecache.getline(code.co_filename, frame.f_lineno, frame.f_globals).strip()
                self._tell(over, f"{now - since:.0f} s in line {frame.f_lineno}: {text}")

    def _is_cell(self, frame: Any) -> bool:
        return frame.f_globals is self._shell.user_ns and frame.f_code.co_name.startswith(CELL)

    def _tell(self, over: threading.Event, text: str) -> None:
        with self._lock:
            if self._silent and not over.is_set():
                line = element("div", text, style=f"{MONO};{MUTED}")
                data = {"text/plain": text, "text/html": line}
                kind = "update_display_data" if self._shown else "display_data"
                name = {"display_id": f"waiting-{id(over)}"}
                self._publish(kind, {"data": data, "metadata": {}, "transient": name})
                self._shown = True

    def _clear(self) -> None:
        with self._lock:
            if self._shown:
                self._publish("clear_output", {"wait": False})
            self._shown = False

    def _publish(self, kind: str, content: dict[str, Any]) -> None:
        pub = self._publisher
        self._send(pub.pub_socket, kind, content, pub.parent_header, pub.topic)

    def _watched_send(self, stream: Any, message: Any, *args: Any, **options: Any) -> Any:
        """Sends a message of the kernel; an output takes the place of the line."""
        if (message if isinstance(message, str) else message["msg_type"]) in OUTPUTS:
            self._silent = False
            self._clear()
        return self._send(stream, message, *args, **options)

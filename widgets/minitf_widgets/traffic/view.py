"""Live traffic between the tasks of a cluster: which tensors travel, where to, how many bytes.

A thread asks the cluster for a snapshot a few times a second and sends what is new to the page as
one buffer; the page keeps the rates and draws. Totals come from the cluster's exact counters.
Single messages are a sample, since a busy cluster sends more than anyone can look at; the page says
which share of them it draws, and how many times slower than they were.

    cluster.traffic() --5 Hz--> TrafficView._pull --one buffer--> src/traffic/view.ts
                                     `--> counters, tasks              `--> selected, paused

The thread never touches the cluster more often than `rate`, rests while the view is paused, and
gives up after half a minute without an answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.offline import Offline
from minitf_widgets.traffic.layout import task_label
from minitf_widgets.traffic.picture import traffic_svg
from minitf_widgets.traffic.rates import RateMeter, format_bytes
from minitf_widgets.traffic.wire import FreshEvents, clean_snapshot, json_tick, pack_tick

__all__ = ["TrafficView"]

_GIVE_UP_AFTER = 30.0  # seconds without an answer
_PICTURE_EVERY = 10.0  # seconds between two static pictures while there is traffic

Source = Callable[[], Mapping[str, Any]]


class TrafficView(PictureWidget):
    """Shows the traffic of a running cluster while it runs.

    Watching starts at once, in a thread of its own, and ends with `stop` or `close`. Observers of
    `counters` and `tasks` are called in that thread.

    Args:
      source: anything with a method `traffic()` that returns a snapshot (see
        `traffic_wire.clean_snapshot`), such as a cluster; or a function that returns one.
      rate: snapshots a second, at most 5.
      traits: initial values of the traits below.

    Attributes:
      selected: what is selected in the picture: None, a task ("/job:ps/task:0") or a link
        ("/job:ps/task:0|/job:worker/task:1", as in `counters`).
      paused: whether the picture stands still; nothing is pulled meanwhile.
      travel: seconds a message takes across the screen, 0.4 at least.
      slow: 1 shows everything as it happens, each message stretched to `travel`; a larger number
        is slow motion, so many times slower than real, a piece of the traffic at a time.
      counters: exact totals, {"source|destination": {"messages": n, "bytes": n}}.
      tasks: the cluster's tasks, as dicts with "task", "address", "alive" and "incarnation".
      status: "live", "silent" (the source does not answer) or "stopped".
      problem: why the source does not answer; empty when it does.
      transport: "binary", or "json" for front ends that let no buffers through.

    Raises:
      TypeError: when `source` is neither.
      ValueError: when `rate` is not above 0 and at most 5.

    Example:
      >>> view = TrafficView(cluster)
      >>> view.selected = "/job:worker/task:1"
    """

    _esm = STATIC / "traffic.js"
    _css = STATIC / "traffic.css"

    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    paused = traitlets.Bool(False).tag(sync=True)
    travel = traitlets.Float(0.8, min=0.4).tag(sync=True)
    slow = traitlets.Float(1.0, min=1.0).tag(sync=True)
    status = traitlets.Enum(["live", "silent", "stopped"], "live").tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)
    transport = traitlets.Enum(["binary", "json"], "binary").tag(sync=True)
    counters = traitlets.Dict()
    tasks = traitlets.List()

    _thread: threading.Thread | None = None

    def __init__(self, source: Any, *, rate: float = 5.0, **traits: Any):
        if not 0 < rate <= 5:
            raise ValueError(f"rate must be above 0 and at most 5 snapshots a second, not {rate}")
        read = _reader(source)
        super().__init__(**traits)
        self._read = read
        self._period = 1.0 / rate
        self._fresh = FreshEvents()
        self._meter = RateMeter()
        self._lock = threading.Lock()  # guards _last, _sequence and _meter
        self._last: dict[str, Any] | None = None
        self._sequence = 0
        self._picture_due = 0.0
        self._halt = threading.Event()
        self.on_msg(self._on_message)
        self.start()

    def start(self) -> None:
        """Watches the source, again after `stop`; does nothing while it is being watched."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._halt = threading.Event()
        self.status = "live"
        self._thread = threading.Thread(
            target=self._watch, args=(self._halt,), name="traffic-view", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stops watching; the view stays, with the last state and its totals."""
        self._halt.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2)
        self.status = "stopped"
        self.update_picture()

    def close(self) -> None:
        """Stops watching and takes the live view away; the static picture stays."""
        if self._thread is not None:
            self.stop()
        super().close()

    def rates(self) -> dict[str, dict[str, float]]:
        """Returns messages and bytes a second of each link over the last second."""
        with self._lock:
            return self._meter.rates()

    def offline(self) -> Offline:
        return Offline(start={"status": "stopped"}, said=[{"type": "hello"}, {"type": "json"}])

    def to_svg(self) -> str:
        with self._lock:
            return traffic_svg(self._last, self._meter, selected=self.selected)

    def to_text(self) -> str:
        with self._lock:
            last = self._last
        if last is None:
            return "Traffic between tasks: no snapshot yet."
        dead = sum(not task["alive"] for task in last["tasks"])
        messages = sum(count["messages"] for count in last["counters"].values())
        size = sum(count["bytes"] for count in last["counters"].values())
        lines = [
            f"Traffic between {len(last['tasks'])} tasks{f' ({dead} dead)' if dead else ''}: "
            f"{messages:,} messages, {format_bytes(size)}."
        ]
        for key, count in last["counters"].items():
            ends = " -> ".join(task_label(end) for end in key.split("|"))
            lines.append(f"{ends}: {count['messages']:,} messages, {format_bytes(count['bytes'])}")
        return "\n".join(lines)

    def _watch(self, halt: threading.Event) -> None:
        answered = time.monotonic()
        wait = 0.0
        while not halt.wait(wait):
            began = time.monotonic()
            wait = self._period
            if self.paused:
                answered = began
                continue
            try:
                self._pull()
            except Exception as error:  # whatever a source may raise is shown, not lost
                if halt.is_set():
                    return
                self.problem = f"{type(error).__name__}: {error}"
                self.status = "silent"
                if began - answered > _GIVE_UP_AFTER:
                    self.status = "stopped"
                    return
                wait = 1.0
                continue
            answered = time.monotonic()
            if halt.is_set():
                return
            if self.status != "live":
                self.status, self.problem = "live", ""
            spent = answered - began
            wait = max(self._period - spent, self._period / 4)

    def _pull(self) -> None:
        """Takes one snapshot in and sends what is new of it."""
        tick = clean_snapshot(self._read())
        tick["events"] = self._fresh(tick["events"])
        with self._lock:
            if self._last is not None and tick["time"] < self._last["time"]:
                self._meter = RateMeter()  # a recording went back: what came later is not known yet
                self._fresh = FreshEvents()
                tick["events"] = self._fresh(tick["events"])
            moved = self._meter.push(tick)
            self._last = tick
            self._sequence += 1
        self.counters = tick["counters"]
        self.tasks = tick["tasks"]
        self._send_last()
        if moved and tick["time"] >= self._picture_due:
            self._picture_due = tick["time"] + _PICTURE_EVERY
            self.update_picture()

    def _send_last(self) -> None:
        with self._lock:
            tick, sequence = self._last, self._sequence
        if tick is None:
            self.send({"type": "nothing"})
            return
        message: dict[str, Any] = {"type": "tick", "sequence": sequence}
        if self.transport == "json":
            self.send({**message, "tick": json_tick(tick)})
        else:
            self.send(message, buffers=[pack_tick(tick)])

    def _on_message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """A view says hello when it is drawn, and asks for JSON when its buffers go missing."""
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "json":
            self.transport = "json"
        if kind in ("hello", "json"):
            self._send_last()


def _reader(source: Any) -> Source:
    traffic = getattr(source, "traffic", source)
    if not callable(traffic):
        raise TypeError(
            f"TrafficView needs a source with a method traffic(), or a function, not {source!r}."
        )
    return traffic

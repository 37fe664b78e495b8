"""Traffic between the tasks of a cluster: which tensors travel, where to, how many bytes.

A thread asks the cluster for a snapshot a few times a second, keeps it, and sends it to the page as
one text; the page keeps the rates and draws. Totals come from the cluster's exact counters.
Single messages are a sample, since a busy cluster sends more than anyone can look at; the page says
which share of them it draws, and how many times slower than they were.

    cluster.traffic() --5 Hz--> TrafficView._pull --one text--> src/traffic/index.ts
    plot(loss=...) ---------------^   |--> History: to scrub, play and step through, and to save
                                      `--> counters, tasks              `--> selected, position

The thread never touches the cluster more often than `rate`, rests while the live view is paused,
and gives up after half a minute without an answer. A recording needs no thread: the page has all of
it, and plays it without a kernel, too.
"""

from __future__ import annotations

import dataclasses
import math
import os
import pathlib
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import traitlets

import minitf as tf
from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.offline import Offline
from minitf_widgets.traffic.actions import Actions
from minitf_widgets.traffic.history import INTERVAL, History
from minitf_widgets.traffic.layout import lay_out
from minitf_widgets.traffic.picture import traffic_svg
from minitf_widgets.traffic.wire import (
    FreshEvents,
    clean_snapshot,
    task_label,
    total_text,
    wait_texts,
)

__all__ = ["TrafficView"]

_GIVE_UP_AFTER = 30.0  # seconds without an answer
_PICTURE_EVERY = 10.0  # seconds between two static pictures while there is traffic
_WATCH_EVERY = 1.0  # seconds between two looks at watched numbers
_OFFLINE = 1_000_000  # bytes of what was seen, the newest, that a page without Python gets

Source = Callable[[], Mapping[str, Any]]


class TrafficView(PictureWidget):
    """Shows the traffic of a cluster while it runs, and afterwards again, as slowly as one likes.

    Watching starts at once, in a thread of its own, and ends with `stop` or `close`. Observers of
    `counters` and `tasks` are called in that thread. What was seen is kept: the bar below the
    picture scrubs and plays it, by messages and by steps of the training.

    Args:
      source: a cluster (one with `add_worker()` gets a button for it, when nothing is selected),
        or anything else with a method `traffic()` that returns a snapshot (see
        `wire.clean_snapshot`), or a function that returns one; "grpc://host:port" of any server of
        a cluster whose tasks were started one by one (`tf.cluster.watch`); or a
        `tf.cluster.Recording`, or the path of one.
      rate: snapshots a second, at most 5.
      memory: bytes that are kept of what was seen; what is older is forgotten.
      faults: `tf.cluster.faults`, for buttons that kill, pause and throttle a task.
      actions: further buttons for a task: {"start": function of the task's name}.
      traits: initial values of the traits below.

    Attributes:
      selected: what is selected in the picture: None, a task ("/job:ps/task:0") or a link
        ("/job:ps/task:0|/job:worker/task:1", as in `counters`).
      selected_op: the operation whose message was clicked, "hidden/weights/read", or None: link it
        with the `selected` of a `GraphView`.
      paused: whether the picture stands still. Of a live cluster nothing is pulled meanwhile.
      position: None shows the newest; a number looks back, so many seconds after the beginning.
      travel: seconds a message takes across the screen, 0.4 at least.
      slow: 1 shows everything as it happens, each message stretched to `travel`; a larger number
        is slow motion, so many times slower than real: live, a piece of the traffic at a time.
      hidden: kinds of messages that the legend's buttons have hidden, such as "control".
      recording: while True, what is seen is to be saved; False again writes the file.
      counters: exact totals of what is shown, {"source|destination": {"messages": n, "bytes": n}}.
      tasks: the cluster's tasks, as dicts with "task", "address", "alive" and "incarnation".
      waits: what tasks wait for, as dicts with "task", "what", "text" and "seconds".
      status: "live", "silent" (the source does not answer), "stopped" or "recorded".
      problem: why the source does not answer; empty when it does.
      told: what came of the last button, in words.

    Raises:
      TypeError: when `source` is none of these.
      ValueError: when `rate` is not above 0 and at most 5; when a file is no recording.

    Example:
      >>> view = TrafficView(cluster)
      >>> for step in range(100):
      ...     view.plot(step, loss=sess.run(loss))
      >>> view.save("run.jsonl.gz")
      >>> TrafficView("run.jsonl.gz")
    """

    _esm = STATIC / "traffic.js"
    _css = STATIC / "traffic.css"

    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    selected_op = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    paused = traitlets.Bool(False).tag(sync=True)
    position = traitlets.Float(None, allow_none=True).tag(sync=True)
    travel = traitlets.Float(0.8, min=0.4).tag(sync=True)
    slow = traitlets.Float(1.0, min=1.0).tag(sync=True)
    hidden = traitlets.List(traitlets.Unicode()).tag(sync=True)
    recording = traitlets.Bool(False).tag(sync=True)
    status = traitlets.Enum(["live", "silent", "stopped", "recorded"], "live").tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)
    told = traitlets.Unicode("").tag(sync=True)
    abilities = traitlets.List(traitlets.Unicode()).tag(sync=True)
    additions = traitlets.List(traitlets.Unicode()).tag(sync=True)
    stored = traitlets.Unicode("").tag(sync=True)  # all of a recording, for the page
    # Of tasks and links.
    places = traitlets.Dict(dataclasses.asdict(lay_out((), ()))).tag(sync=True)
    counters = traitlets.Dict()
    tasks = traitlets.List()
    waits = traitlets.List()

    _thread: threading.Thread | None = None

    def __init__(
        self,
        source: Any,
        *,
        rate: float = 5.0,
        memory: float = 16e6,
        faults: Any = None,
        actions: Mapping[str, Callable[[str], Any]] | None = None,
        **traits: Any,
    ):
        if not 0 < rate <= 5:
            raise ValueError(f"rate must be above 0 and at most 5 snapshots a second, not {rate}")
        source = _opened(source)
        replayed = all(hasattr(source, name) for name in ("between", "at", "marks"))
        read = None if replayed else _reader(source)
        super().__init__(**traits)
        self._read, self._source = read, source
        self._period = 1.0 / rate
        self._fresh = FreshEvents()
        self._lock = threading.Lock()  # guards what follows, which several threads use
        self._history = History.from_recording(source) if replayed else History(memory)
        self._marks: list[tuple[float, str, float]] = []
        self._watched: dict[str, Callable[[], float]] = {}
        self._watch_due = self._look_due = 0.0
        self._last: dict[str, Any] | None = None
        self._began = 0.0
        self._sequence = 0
        self._picture_due = 0.0
        self._record_from = 0.0
        self._greeting = math.inf  # bytes
        self._actions = Actions(source, faults, actions, self._tell)
        self.abilities, self.additions = self._actions.names, self._actions.additions
        self._halt = threading.Event()
        self.on_msg(self._on_message)
        self.observe(self._on_position, "position")
        self.observe(self._on_recording, "recording")
        if replayed:
            self.status, self._began = "recorded", source.started
            self.stored = self._history.stream()
            self._place(self._history.at(math.inf) or clean_snapshot(source.at(0.0)))
            if self._history.interval > INTERVAL:
                self._tell(f"shows one moment in {self._history.interval:.3g} s: it is long")
            if self.position is None:  # before the first message there is nothing to see
                starts = (event.start for event in source.events)
                self.position = max(0.0, min(starts, default=0.0))
            self._on_position(None)
        else:
            self.start()

    def start(self) -> None:
        """Watches the source, again after `stop`; does nothing while it is being watched."""
        if self._read is None or (self._thread is not None and self._thread.is_alive()):
            return
        self._halt = threading.Event()
        self.status = "live"
        self._thread = threading.Thread(
            target=self._watch, args=(self._halt,), name="traffic-view", daemon=True
        )
        try:
            self._thread.start()
        except RuntimeError:  # no threads, as in a browser: tasks that take turns let it look
            self._thread = None
            getattr(self._source, "between_turns", []).append(self._look)
            self._look()

    def stop(self) -> None:
        """Stops watching; the view stays, with all that it saw and the totals."""
        self._halt.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2)
        if self._read is not None:
            self.status = "stopped"
        self.update_picture()

    def close(self) -> None:
        """Stops watching and takes the live view away; the static picture stays."""
        if self._thread is not None:
            self.stop()
        super().close()

    def plot(self, step: float | None = None, **numbers: float) -> None:
        """Notes numbers of the training, such as loss and accuracy, for the chart.

        Args:
          step: of the training.
          numbers: by the names of their curves.
        """
        now = time.time()
        given = {**({} if step is None else {"step": step}), **numbers}
        fresh = [(now, name, np.asarray(value, float).item()) for name, value in given.items()]
        with self._lock:
            self._marks += fresh
        self._look()

    def watch(self, **numbers: Callable[[], float]) -> None:
        """Plots what functions return, asked once a second in the view's own thread.

        Example:
          >>> view.watch(loss=lambda: sess.run(loss))
        """
        self._watched = {**self._watched, **numbers}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves what was seen as a recording, compressed when the name ends in ".gz".

        The counters are exact; of the messages it has those that came along one by one.
        (`tf.cluster.record` writes every one.)

        Raises:
          ValueError: when nothing has been seen yet.
        """
        self._history.save(path)

    def offline(self) -> Offline:
        """The page has all that was seen, and replays it; there is nothing live or to be done."""
        self._greeting = _OFFLINE
        status = "stopped" if self._read is not None else "recorded"
        start = {"status": status, "abilities": [], "additions": [], "recording": False}
        return Offline(start=start, said=[{"type": "hello"}])

    def to_svg(self) -> str:
        with self._lock:
            return traffic_svg(self._last)

    def to_text(self) -> str:
        with self._lock:
            last = self._last
        if last is None:
            return "Traffic between tasks: no snapshot yet."
        dead = sum(not task["alive"] for task in last["tasks"])
        dying = f" ({dead} dead)" if dead else ""
        total = total_text(last["counters"].values())
        lines = [f"Traffic between {len(last['tasks'])} tasks{dying}: {total}.", *wait_texts(last)]
        for key, count in last["counters"].items():
            lines.append(f"{' -> '.join(map(task_label, key.split('|')))}: {total_text([count])}")
        return "\n".join(lines)

    def _watch(self, halt: threading.Event) -> None:
        answered = time.monotonic()
        wait = 0.0
        while not halt.wait(wait):
            began = time.monotonic()
            wait = self._period
            if self.paused and self.position is None:
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

    def _look(self) -> None:
        """Takes a snapshot in if it is time to, where no thread does."""
        now = time.monotonic()
        if not (self._thread or self.paused) and self.status == "live" and now >= self._look_due:
            self._look_due = now + self._period
            self._pull()

    def _pull(self) -> None:
        """Takes one snapshot in and sends what is new of it."""
        assert self._read is not None
        tick = clean_snapshot(self._read())
        tick["events"] = self._fresh(tick["events"])
        self._look_at_watched()
        with self._lock:
            last = self._last
            tick["marks"], self._marks = self._marks, []
            before = last or {"counters": {}, "tasks": []}
            moved = tick["counters"] != before["counters"]
            self._began = self._began or tick["time"]
            self._last = tick
            self._sequence += 1
            message = {"type": "tick", "sequence": self._sequence, "began": self._began}
        packed = self._history.append(tick)
        if tick["counters"].keys() != before["counters"].keys() or tick["tasks"] != before["tasks"]:
            self._place(tick)
        if self.position is None:
            self.counters, self.tasks, self.waits = tick["counters"], tick["tasks"], tick["waits"]
        self.send({**message, "tick": packed})
        if moved and tick["time"] >= self._picture_due:
            self._picture_due = tick["time"] + _PICTURE_EVERY
            self.update_picture()

    def _place(self, tick: Mapping[str, Any]) -> None:
        """Tells the page where the tasks and links of a snapshot stand."""
        tasks = (task["task"] for task in tick["tasks"])
        self.places = dataclasses.asdict(lay_out(tasks, tick["counters"]))

    def _look_at_watched(self) -> None:
        if not self._watched or time.monotonic() < self._watch_due:
            return
        self._watch_due = time.monotonic() + _WATCH_EVERY
        for name, read in self._watched.items():
            try:
                self.plot(**{name: read()})
            except Exception as error:  # a session that is not open yet, or no more
                self.told = f"{name} cannot be read: {str(error).partition(chr(10))[0]}"

    def _greet(self) -> None:
        """Gives a page that has just come all that was seen."""
        if self._last is None and self._read is not None:
            self.send({"type": "nothing"})
            return
        with self._lock:
            message = {"type": "history", "sequence": self._sequence, "began": self._began}
        if self._read is not None:
            self.send({**message, "ticks": self._history.stream(self._greeting)})

    def _on_message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """A view says hello when it is drawn, and tells of its buttons."""
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "hello":
            self._greet()
        if kind == "act":
            self._actions.start(str(content.get("name")), str(content.get("task")))

    def _on_position(self, _change: Any) -> None:
        """What is shown in Python is what is shown on the page."""
        with self._lock:
            shown, began = self._last, self._began
        if self.position is not None or shown is None:
            shown = self._history.at(began + (self.position or 0.0))
        if shown is not None:
            self.counters, self.tasks = shown["counters"], shown["tasks"]
            self.waits = shown["waits"]
        if self._read is None:
            with self._lock:
                self._last = self._history.at(math.inf)  # the static picture has the totals

    def _on_recording(self, _change: Any) -> None:
        if self.recording:
            self._record_from = time.time()
            self._tell("recording the traffic")
            return
        path = pathlib.Path(time.strftime("traffic-%Y%m%d-%H%M%S.jsonl.gz"))
        try:
            self._history.save(path, self._record_from)
        except (OSError, ValueError) as error:
            self._tell(f"not saved: {error}")
        else:
            self._tell(f"saved as {path}")

    def _tell(self, text: str) -> None:
        self.told = text


def _opened(source: Any) -> Any:
    """What a text names: a cluster by an address, or a recording by its path."""
    if isinstance(source, str) and "://" in source:
        return tf.cluster.watch(source)
    if isinstance(source, str | os.PathLike):
        return tf.cluster.Recording.load(os.fspath(source))
    return source


def _reader(source: Any) -> Source:
    traffic = getattr(source, "traffic", source)
    if not callable(traffic):
        raise TypeError(
            f"TrafficView needs a source with a method traffic(), or a function, not {source!r}."
        )
    return traffic

"""What may be done to tasks from the view: through what the caller has handed in, nothing else.

    TrafficView(cluster, faults=tf.cluster.faults)    kill, pause, throttle, as far as it has them
    TrafficView(target, actions={"start": start})     start("/job:worker/task:1"): its own button
    TrafficView(cluster)                              add a worker, where the cluster has a method

An action runs in a thread of its own, for it may take seconds; what came of it is told in words.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from minitf_widgets.traffic.wire import task_label

PAUSE = 5.0  # seconds
LATENCY, BANDWIDTH = 0.05, 1e6  # seconds a message, bytes a second
ADD = "add a worker"

# The button, the name of the public function in `faults`, its arguments, and what has been done.
_FAULTS: tuple[tuple[str, str, dict[str, float], str], ...] = (
    ("kill", "kill", {}, "was killed"),
    ("pause 5 s", "freeze", {"seconds": PAUSE}, f"is frozen for {PAUSE:g} s"),
    (
        "throttle",
        "slow",
        {"latency": LATENCY, "bandwidth": BANDWIDTH},
        f"has a slow link now: {1000 * LATENCY:g} ms per message, {BANDWIDTH / 1e6:g} MB/s",
    ),
    ("full speed", "slow", {}, "has a fast link again"),
)


class Actions:
    """The actions of a view.

    Args:
      source: what the view watches.
      faults: a namespace with `tasks(source)`, and `kill(task)`, `freeze(task, seconds)`,
        `slow(task, latency, bandwidth)` or some of these, as `tf.cluster.faults`; or None.
      more: functions of a task's name, by the words on their buttons.
      tell: gets what came of an action, in words.
    """

    def __init__(
        self,
        source: Any,
        faults: Any,
        more: Mapping[str, Callable[[str], Any]] | None,
        tell: Callable[[str], None],
    ):
        self._source, self._faults, self._tell = source, faults, tell
        self._tasks: Mapping[str, Any] = {}
        self._lock = threading.Lock()
        self._table: dict[str, Callable[[str], str]] = {}
        for name, fault, arguments, done in _FAULTS:
            if callable(getattr(faults, fault, None)):
                self._table[name] = self._fault(fault, arguments, done)
        for name, act in (more or {}).items():
            self._table[name] = self._given(name, act)
        self.names = list(self._table)  # the words on the buttons of a task
        self.additions: list[str] = []  # and on those of the cluster
        if callable(getattr(source, "add_worker", None)):
            self.additions = [ADD]
            self._table[ADD] = lambda _: f"{task_label(source.add_worker())} is there"

    def start(self, name: str, task: str) -> None:
        """Begins an action; unknown ones do nothing."""
        act = self._table.get(name)
        if act is not None:
            threading.Thread(target=self._run, args=(act, name, task), daemon=True).start()

    def _run(self, act: Callable[[str], str], name: str, task: str) -> None:
        whom = f"{task_label(task)}: " if task else ""
        self._tell(f"{whom}{name} ...")
        try:
            self._tell(act(task))
        except Exception as error:  # whatever the caller's function may raise is told
            reason = str(error).partition("\n")[0] or type(error).__name__
            self._tell(f"{whom}{name} failed: {reason}")

    def _fault(self, name: str, arguments: Mapping[str, float], done: str) -> Callable[[str], str]:
        def act(task: str) -> str:
            with self._lock:
                self._tasks = self._tasks or self._faults.tasks(self._source)
            getattr(self._faults, name)(self._tasks[task], **arguments)
            return f"{task_label(task)} {done}"

        return act

    def _given(self, name: str, act: Callable[[str], Any]) -> Callable[[str], str]:
        def run(task: str) -> str:
            told = act(task)
            return told if isinstance(told, str) else f"{task_label(task)}: {name} done"

        return run

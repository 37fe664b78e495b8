"""Faults on purpose: `tf.cluster.faults`, for experiments that can be repeated.

    report = faults.Report("a parameter server dies")
    ps = faults.tasks(cluster, report)["/job:ps/task:0"]
    faults.kill(ps)             faults.freeze(ps, 2.0)       faults.cut(ps)
    faults.slow(ps, 0.05)       faults.fill_disk(ps, "ckpt") faults.other_version(ps)
    report                      what happened, and when

A fault goes to its task as a message, and the task does it to itself. So it works wherever the task
runs, and only where its program has said `allow(server)`: nobody else's cluster can be disturbed.
`tasks` says it for a cluster of `start_local` or `attach`.

`FAULTS` tells of each fault what is done and what TensorFlow's outcome is; a `Schedule` draws
faults from a seed; `experiments` is a list of whole experiments with the outcome that each expects.
"""

from __future__ import annotations

import contextlib
import functools
import html
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from minitf.core.cluster.cluster_spec import free_address
from minitf.core.cluster.wire import handshake, transport
from minitf.core.cluster.wire.call import Call, Fields, Reply
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.connection import link
from minitf.core.cluster.wire.task_server import cut_connections, server_in_this_process
from minitf.core.graph import errors
from minitf.core.graph.device_spec import parsed
from minitf.core.kernels.threads import can_start
from minitf.library.formats.file_io import set_free_space

if TYPE_CHECKING:
    from minitf.core.cluster.service.server import Server
    from minitf.library.clusters.dask_cluster import TaskCluster, TaskContext

TAKEN_WITHIN = 5.0  # seconds for a task to say that it has taken a fault
_ENDING = ("kill", "cut", "other_version")  # they end the connection, and nothing answers
_ENDED = (errors.UnavailableError,)
_MAY_PASS = (*_ENDED, errors.UnimplementedError, errors.FailedPreconditionError)
BACK_WITHIN = 90.0  # seconds for a task that was killed to be there again, on a crowded machine


class Report:
    """What happened, and when: prints as lines, and in a notebook as a table.

    Args:
      title: of the whole.
    Attributes:
      events: (seconds since the start, what, of whom, more) for each.
    Example:
      >>> report = tf.cluster.faults.Report("one fault")
      >>> report.note("kill", "/job:ps/task:0")
      >>> [event[1:3] for event in report.events]
      [('kill', '/job:ps/task:0')]
    """

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.events: list[tuple[float, str, str, str]] = []
        self._start = time.monotonic()

    def note(self, what: str, whom: str = "", more: str = "") -> None:
        """Adds something that happens now."""
        self.events.append((time.monotonic() - self._start, what, whom, more))

    def since(self, what: str) -> float:
        """How many seconds ago `what` happened last; infinity when it did not."""
        found = [when for when, *rest in self.events if rest[0] == what]
        return time.monotonic() - self._start - found[-1] if found else float("inf")

    def __str__(self) -> str:
        wide = max((len(what) for _, what, _, _ in self.events), default=0)
        whom = max((len(whom) for _, _, whom, _ in self.events), default=0)
        lines = [
            f"{when:8.2f} s  {what:<{wide}}  {of:<{whom}}  {more}".rstrip()
            for when, what, of, more in self.events
        ]
        return "\n".join([self.title, *lines] if self.title else lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:right;white-space:nowrap'>{when:.2f} s</td>"
            + "".join(f"<td style='text-align:left'>{html.escape(text)}</td>" for text in texts)
            + "</tr>"
            for when, *texts in self.events
        )
        return f"<table><caption>{html.escape(self.title)}</caption>{rows}</table>"


@dataclass
class Task:
    """A task that faults are done to.

    Args:
      name: "/job:ps/task:0".
      address: "host:port" where it listens.
      report: gets what is done to it.
      restart: starts it anew after it was killed; None where something else does.
      allow: makes a new process of the task take faults; None where its program does.
    """

    name: str
    address: str
    report: Report | None = None
    restart: Callable[[], Any] | None = field(default=None, repr=False)
    allow: Callable[[], Any] | None = field(default=None, repr=False)

    def suffer(self, what: str, **fields: Any) -> None:
        """Tells the task to do something to itself; returns when it has heard.

        Raises:
          UnavailableError: when it is not there.
          UnimplementedError: when its program does not allow faults.
        """
        channel = Channel(self.address, transport.options_for(self.address))
        deadline = time.monotonic() + (BACK_WITHIN if self.allow and can_start() else 0.0)
        try:
            while True:
                try:
                    call = channel.begin("fault", {"what": what, **fields}, timeout=TAKEN_WITHIN)
                    with contextlib.suppress(*_ENDED if what in _ENDING else ()):
                        call.finish()
                    return
                except _MAY_PASS as error:
                    if self.allow is None or time.monotonic() > deadline:
                        raise
                    if isinstance(error, errors.UnimplementedError):
                        self.allow()
                time.sleep(0.1)
        finally:
            channel.close()


def tasks(cluster: TaskCluster, report: Report | None = None) -> dict[str, Task]:
    """Makes the tasks of a cluster take faults; returns them by name.

    A task that was killed comes back by itself: Dask starts its process anew, at its address.

    Args:
      cluster: of `start_local` or `attach`.
      report: gets what is done to them.
    """
    allow = functools.partial(cluster.run, _allow_here)
    return {
        task: Task(task, address, report, allow=functools.partial(allow, job=parsed(task).job))
        for task, address in cluster.cluster_spec.addresses().items()
    }


# ---- in the process of the task ----------------------------------------------------------------


def allow(server: Server) -> None:
    """Lets everybody who may connect to a task do faults to its process.

    Args:
      server: of the task, started.
    """
    served = server_in_this_process(server.address)
    if served is None:
        raise ValueError("allow() wants a server of this process that has been started")
    served.handle("fault", _fault)


def _allow_here(task: TaskContext) -> None:
    allow(task.server)


def _fault(call: Call) -> Reply:
    fields = Fields(call)
    what = fields.text("what")
    if what == "slow":
        link.set(fields.whole("latency_us") / 1e6, float(fields.whole("bandwidth")))
    elif what == "fill_disk":
        free = fields.whole("free", -1)
        set_free_space(fields.text("directory"), None if free < 0 else free)
    elif what == "other_version":
        handshake.speak(fields.whole("version"))
        timer = threading.Timer(fields.whole("ms", 0, 3_600_000) / 1000, handshake.speak)
        timer.daemon = True
        timer.start()
        cut_connections()
    elif what == "freeze":
        waking = _waking(fields.whole("ms", 0, 3_600_000) / 1000)
        call.on_reply = lambda size: _stand_still(waking)
    elif what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif what == "cut":
        cut_connections()
    else:
        raise errors.InvalidArgumentError.of(f"There is no fault {what[:40]!r}")
    return {"process": os.getpid()}, ()


def _waking(seconds: float) -> subprocess.Popen[bytes]:
    """Starts another process that will wake this one."""
    command = ["/bin/sh", "-c", f"sleep {seconds:f}; kill -CONT {os.getpid()}"]
    null = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=null, stdout=null, stderr=null, start_new_session=True)


def _stand_still(waking: subprocess.Popen[bytes]) -> None:
    with waking:
        os.kill(os.getpid(), signal.SIGSTOP)


# ---- the faults --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """A fault, as data.

    Attributes:
      name: of the function that does it.
      does: what is done.
      outcome: what TensorFlow's programs see.
      act: the function; its first argument is the task.
    """

    name: str
    does: str
    outcome: str
    act: Callable[..., Any] = field(repr=False)


#: All faults by name.
FAULTS: dict[str, Fault] = {}


def _declared(does: str, outcome: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Lists a function as a fault, and has the task's report tell of it."""

    def declare(act: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(act)
        def noted(task: Task, *arguments: Any, **named: Any) -> Any:
            if task.report is not None:
                given = [*map(str, arguments), *(f"{k}={v}" for k, v in named.items())]
                task.report.note(act.__name__, task.name, ", ".join(given))
            return act(task, *arguments, **named)

        FAULTS[act.__name__] = Fault(act.__name__, does, outcome, noted)
        return noted

    return declare


@_declared(
    "The process ends at once, as by `kill -9` or a power cut, and starts again.",
    "Steps that need it: UnavailableError, or AbortedError once a new process runs. The variables "
    "of a ps are lost: a monitored session continues from the last checkpoint, a plain one gets "
    "FailedPreconditionError. A killed worker loses no variables, but a chief restores the last "
    "checkpoint when it opens a new session.",
)
def kill(task: Task) -> None:
    """Kills the process of a task; returns when it is starting again."""
    task.suffer("kill")
    if task.restart is not None:
        task.restart()


@_declared(
    "The process is stopped for some seconds, as by a debugger or on a machine that swaps.",
    "For less than `frozen_after` (10 s): the step takes longer, nothing else. For longer: "
    "UnavailableError. TensorFlow waits forever, unless the session has a time limit.",
)
def freeze(task: Task, seconds: float = 1.0) -> None:
    """Stops the process of a task (SIGSTOP) and wakes it (SIGCONT); returns at once."""
    task.suffer("freeze", ms=round(1000 * seconds))


@_declared(
    "All connections of the process end, as when a cable is pulled and put back.",
    "Running steps: UnavailableError; between two steps it has no effect. The variables stay. A "
    "monitored session opens again; the chief's then restores the last checkpoint.",
)
def cut(task: Task) -> None:
    """Ends all connections of a task."""
    task.suffer("cut")


@_declared(
    "Each message of the process takes longer, in both directions.",
    "No error: steps take longer, by the latency of each message and its bytes over the bandwidth.",
)
def slow(task: Task, latency: float = 0.0, bandwidth: float = 0.0) -> None:
    """Makes the link of a task slow, until it is called again without arguments.

    Args:
      task: the task.
      latency: seconds for each message.
      bandwidth: bytes a second; 0 for as many as there can be.
    """
    task.suffer("slow", latency_us=round(latency * 1e6), bandwidth=round(bandwidth))


@_declared(
    "The disk of a directory is full for the process.",
    "The step that saves: ResourceExhaustedError, which ends a monitored session. The last whole "
    "checkpoint stays intact, and no partial file remains.",
)
def fill_disk(task: Task, directory: Any, free: int | None = 0) -> None:
    """Makes the disk of a directory full for a task.

    Args:
      task: the task that writes: a ps writes its variables, the chief the rest.
      directory: the directory; everything below it is full, too.
      free: bytes that still fit; None makes the disk as it was.
    """
    task.suffer("fill_disk", directory=os.fspath(directory), free=-1 if free is None else free)


@_declared(
    "The process speaks another version of the protocol in all new connections.",
    "FailedPreconditionError that names both versions. (TensorFlow's own versions differ "
    "silently, and fail later.)",
)
def other_version(task: Task, seconds: float = 5.0, version: int | None = None) -> None:
    """Makes a task speak another version of the protocol, and cuts its connections.

    Args:
      task: the task.
      seconds: for how long; nobody else can make it speak as before, for nobody understands it.
      version: the version; the next one when None.
    """
    spoken = handshake.VERSION + 1 if version is None else version
    task.suffer("other_version", version=spoken, ms=round(1000 * seconds))


def wrong_address() -> str:
    """Returns a "host:port" of this machine where nobody listens.

    Who is told that a task lives there gets an UnavailableError that names the address.
    """
    return free_address()


# ---- schedules ---------------------------------------------------------------------------------

#: The faults that a schedule draws from, with the ranges of their arguments.
DRAWN: dict[str, dict[str, tuple[float, float]]] = {
    "kill": {},
    "freeze": {"seconds": (0.2, 1.5)},
    "cut": {},
}


class Schedule:
    """Faults drawn from a seed, one about every so many steps of a training.

    Args:
      seed: the same seed draws the same faults.
      every: how many steps come between two faults.
      steps: of the training.
      peace: how many of the last steps are left in peace.
      drawn: the faults to draw from, with the ranges of their arguments.
    Example:
      >>> schedule = tf.cluster.faults.Schedule(seed=1, every=10, steps=200)
      >>> schedule.due(9), schedule.due(10), schedule.due(170)
      (False, True, False)
    """

    def __init__(
        self,
        seed: int,
        every: int = 10,
        steps: int = 200,
        peace: int = 30,
        drawn: Mapping[str, Mapping[str, tuple[float, float]]] = DRAWN,
    ):
        self.steps = steps
        self._random = random.Random(seed)
        self._every, self._peace, self._drawn = every, peace, drawn
        self._next = every

    def due(self, step: int) -> bool:
        """Whether it is time for a fault when the training has come to `step`."""
        return self._next <= step < self.steps - self._peace

    def draw(self, tasks: Sequence[Task]) -> tuple[Fault, Task, dict[str, float]]:
        """Returns the next fault, the task that it is for, and its arguments."""
        name = self._random.choice(list(self._drawn))
        ranges = self._drawn[name]
        arguments = {key: round(self._random.uniform(*ends), 2) for key, ends in ranges.items()}
        return FAULTS[name], self._random.choice(list(tasks)), arguments

    def strike(self, step: int, tasks: Sequence[Task]) -> tuple[Fault, Task, dict[str, float]]:
        """Does the next fault; returns it. The one after comes `every` steps after `step`."""
        fault, task, arguments = self.draw(tasks)
        self._next = step + self._every
        fault.act(task, **arguments)
        return fault, task, arguments

    def put_off(self, step: int) -> None:
        """Lets the next fault wait until `every` steps after `step`, which a recovery reached."""
        self._next = step + self._every

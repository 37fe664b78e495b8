"""Experiments with faults: each starts a cluster, trains, does one fault, and looks at the outcome.

    for experiment in tf.cluster.faults.experiments():
        report = experiment.run(seed=1)       # prints as a table of what happened, and when
        report.as_expected                    # whether it was TensorFlow's outcome, in time

The training counts: a variable on the ps grows by one a step, made on the worker, and a monitored
session saves it every ten steps. So a lost update can be seen as a number.
"""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire.handshake import VERSION
from minitf.core.graph import errors
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import device
from minitf.core.ops.control import group
from minitf.core.ops.math import multiply
from minitf.core.runtime.session.config import ConfigProto
from minitf.core.runtime.session.session import Session
from minitf.core.variables.initialization import global_variables_initializer
from minitf.core.variables.variable_scope import get_variable
from minitf.library import clusters
from minitf.library.clusters import faults
from minitf.library.clusters.faults import FAULTS, Report, Task
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.sessions.basic_hooks import StopAtStepHook
from minitf.library.sessions.monitored_session import MonitoredTrainingSession
from minitf.library.sessions.training_util import get_or_create_global_step

if TYPE_CHECKING:
    from minitf.library.clusters.dask_cluster import TaskCluster

STEPS, SAVE_EVERY = 40, 10
PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"
#: what ends a fault that would stay
_UNDONE: dict[str, dict[str, Any]] = {
    "slow": {},
    "fill_disk": {"free": None},
    "other_version": {"version": VERSION},  # waits until it speaks so
}


class Finding(Report):
    """The report of an experiment.

    Attributes:
      error: what the program saw, None when it saw nothing.
      seconds: from the fault until the error, or until the next step was done.
      lost: how many steps the training fell back.
      as_expected: whether this is the outcome that the experiment expects.
    """

    error: errors.OpError | None = None
    seconds = 0.0
    lost = 0
    as_expected = False


@dataclass(frozen=True)
class Experiment:
    """One fault in one training, and what is expected of it.

    Attributes:
      name: in a few words.
      fault: the name of the fault, of `FAULTS`.
      expected: the outcome, as a sentence.
      task: who suffers it.
      arguments: of the fault.
      monitored: whether the training has a MonitoredTrainingSession; else a plain Session.
      errors: the classes of which one reaches the program; empty for none.
      within: seconds until then, or until the next step is done; a crowded machine gets more.
      lost: how many steps may be lost.
      at_least: seconds that the next step takes at the least.
      trains: what is done with the cluster; see `_train`.
    """

    name: str
    fault: str
    expected: str
    task: str = PS
    arguments: dict[str, Any] = field(default_factory=dict)
    monitored: bool = False
    errors: tuple[type[errors.OpError], ...] = ()
    within: float = 5.0
    lost: int = 0
    at_least: float = 0.0
    trains: Callable[..., None] | None = field(default=None, repr=False)

    def run(self, seed: int = 0, cluster: TaskCluster | None = None) -> Finding:
        """Does it.

        Args:
          seed: of the step at which the fault comes.
          cluster: whose tasks "ps 0" and "worker 0" take part; a new one when None.
        """
        found = Finding(f"{self.name}: {self.expected}")
        with contextlib.ExitStack() as ends:
            if cluster is None:
                cluster = ends.enter_context(clusters.start_local(ps=1, workers=1))
            found.note("starts", more=f"seed {seed}")
            folder = ends.enter_context(tempfile.TemporaryDirectory(prefix="minitf-fault"))
            ends.enter_context(Graph().as_default())
            victim = faults.tasks(cluster, found)[self.task]
            at = random.Random(seed).randrange(SAVE_EVERY + 2, 2 * SAVE_EVERY)
            try:
                (self.trains or _train)(cluster.target(), self, found, folder, at, victim)
            except errors.OpError as error:
                found.error, found.seconds = error, found.since(self.fault)
                said = error.message.splitlines()  # which may begin with the task it came from
                found.note(type(error).__name__, more=said[said[0].startswith("From ")][:150])
            if self.fault in _UNDONE:
                victim.report = None
                FAULTS[self.fault].act(victim, **self._given(folder, _UNDONE[self.fault]))
            self._judge(found, folder)
        return found

    __call__ = run

    def _given(self, folder: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {**arguments, "directory": folder} if self.fault == "fill_disk" else {**arguments}

    def _judge(self, found: Finding, folder: str) -> None:
        seen = isinstance(found.error, self.errors) if self.errors else found.error is None
        saved = latest_checkpoint(folder) if self.monitored else None
        halves = [name for name in os.listdir(folder) if "tempstate" in name]
        found.as_expected = (
            seen
            and self.at_least <= found.seconds <= self.within
            and found.lost <= self.lost
            and not halves
            and (saved is not None) == self.monitored
        )
        found.note("as expected" if found.as_expected else "not as expected")


def _train(
    target: str, experiment: Experiment, found: Finding, folder: str, at: int, victim: Task
) -> None:
    """Trains, and does the fault after the step `at`; notes what comes of the next step."""
    with device(PS):
        step = get_or_create_global_step()
        x = get_variable("x", initializer=0.0)
    with device(WORKER):
        update = multiply(x, 0.0) + 1.0  # there and back: the worker takes part
    train = group(x.assign_add(update), step.assign_add(1))
    struck = False
    with _session(target, experiment, folder) as session:
        while True:
            number = int(session.run([train, step])[1])
            if found.seconds == 0.0 and struck:
                found.seconds, found.lost = found.since(experiment.fault), at - number + 1
                found.note("steps again", more=f"{found.seconds:.2f} s later, as step {number}")
            if number >= STEPS:
                break
            if number >= at and not struck:
                struck = True
                given = experiment._given(folder, experiment.arguments)
                FAULTS[experiment.fault].act(victim, **given)
                time.sleep(0.1)  # the next step begins when the end of connections is known
    found.note("ends", more=f"step {number}")


@contextlib.contextmanager
def _session(target: str, experiment: Experiment, folder: str) -> Iterator[Any]:
    if not experiment.monitored:
        with Session(target) as session:
            session.run(global_variables_initializer())
            yield session
        return
    with MonitoredTrainingSession(
        target,
        checkpoint_dir=folder,
        save_checkpoint_steps=SAVE_EVERY,
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
        hooks=[StopAtStepHook(last_step=STEPS)],
    ) as session:
        yield session


def _reach_nobody(
    target: str, experiment: Experiment, found: Finding, folder: str, at: int, victim: Task
) -> None:
    """Opens a session in a cluster that has a wrong address of its ps, with a limit of time."""
    nobody = faults.wrong_address()
    found.note(experiment.fault, victim.name, nobody)
    server = Server({"ps": [nobody], "worker": ["localhost:0"]}, "worker", 0)
    try:
        with device(PS):
            x = get_variable("x", initializer=0.0)
        with Session(server.target, config=ConfigProto(operation_timeout_in_ms=3000)) as session:
            session.run(x.initializer)
    except errors.OpError as error:
        if nobody not in error.message:
            found.note("the error does not name the address")
        raise
    finally:
        server.stop()


_GONE = (errors.UnavailableError, errors.AbortedError)
_EXPERIMENTS = (
    Experiment(
        "a ps is killed, plain session",
        "kill",
        "UnavailableError at once; or AbortedError, when a new process already runs",
        errors=_GONE,
    ),
    Experiment(
        "a ps is killed, monitored session",
        "kill",
        "no error; the training continues from its last checkpoint",
        monitored=True,
        within=60.0,
        lost=SAVE_EVERY,
    ),
    Experiment(
        "the chief's worker is killed, monitored session",
        "kill",
        "no error; the ps keeps the variables, but a chief restores its last checkpoint",
        task=WORKER,
        monitored=True,
        within=60.0,
        lost=SAVE_EVERY,
    ),
    Experiment(
        "a ps is frozen for a moment",
        "freeze",
        "no error; one step takes as long as the freeze",
        arguments={"seconds": 1.5},
        at_least=1.0,
    ),
    Experiment(
        "a ps is frozen for long",
        "freeze",
        "UnavailableError after 10 s (TensorFlow waits forever)",
        arguments={"seconds": 15.0},
        errors=_GONE,
        within=15.0,
        at_least=9.0,
    ),
    Experiment(
        "connections are cut, monitored session",
        "cut",
        "no error; at most the steps after the last checkpoint are lost",
        monitored=True,
        lost=SAVE_EVERY,
    ),
    Experiment(
        "the link to a ps is slow",
        "slow",
        "no error; each message takes 0.05 s longer",
        arguments={"latency": 0.05},
        at_least=0.1,
    ),
    Experiment(
        "the disk is full at a checkpoint",
        "fill_disk",
        "ResourceExhaustedError; the last checkpoint is intact, and no partial file remains",
        monitored=True,
        errors=(errors.ResourceExhaustedError,),
    ),
    Experiment(
        "a wrong address",
        "wrong_address",
        "DeadlineExceededError with the address, after the session's limit of 3 s; without a limit "
        "UnavailableError after 60 s (TensorFlow waits forever)",
        errors=(errors.DeadlineExceededError,),
        trains=_reach_nobody,
    ),
    Experiment(
        "a ps of another version",
        "other_version",
        "FailedPreconditionError that names both versions",
        errors=(errors.FailedPreconditionError,),
    ),
)


def experiments() -> list[Experiment]:
    """Returns all experiments; each can be run by itself, and again with the same seed."""
    return list(_EXPERIMENTS)

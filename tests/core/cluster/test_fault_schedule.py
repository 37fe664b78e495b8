"""Training that tasks leave and come back to: a schedule of faults, drawn from a seed.

    2 ps + 3 workers, a process each         every few steps, one task
    asynchronous: 2 monitored sessions,        is killed (-9) and started anew,
                  1 plain one                  is stopped for a while, or
    synchronous:  3 monitored sessions,        loses its connections
                  2 gradients make a step
    a checkpoint every 20 steps

All workers end, none hangs, the plain session sees errors of TensorFlow's classes only, and the
variables go on from the last checkpoint. docs/faults.md has the figures of 20 seeds.
"""

import json
import os
import queue
import re
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import minitf as tf

from .conftest import free_addresses

PROGRAM = str(Path(__file__).parent / "programs" / "train_faults.py")
TASKS = [("ps", 0), ("ps", 1), ("worker", 0), ("worker", 1), ("worker", 2)]
Task = tuple[str, int]
Spawn = Callable[..., subprocess.Popen[str]]


@dataclass
class Outcome:
    """What came of a schedule."""

    faults: list[str] = field(default_factory=list)
    #: seconds from each fault until a worker makes its next step, by what was done to which job
    recoveries: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)  # that the plain session saw
    lost: int = 0  # the most steps that the training lost at once
    seconds: float = 0.0


class Training:
    """One training with its faults.

    Args:
      spawn: starts a program.
      directory: of the checkpoints.
      schedule: of the faults.
      kind: "async" or "sync".
    """

    def __init__(
        self, spawn: Spawn, directory: Path, schedule: tf.cluster.faults.Schedule, kind: str
    ):
        self._spawn, self._directory, self._kind = spawn, directory, kind
        self._schedule = schedule
        self._spec = free_addresses(ps=2, worker=3)
        self._tasks = {
            (job, index): tf.cluster.faults.Task(
                f"/job:{job}/task:{index}",
                self._spec[job][index],
                restart=lambda task=(job, index): self._start_anew(task),
            )
            for job, index in TASKS
        }
        self._processes: dict[Task, subprocess.Popen[str]] = {}
        self._lines: queue.Queue[tuple[Task, str, float]] = queue.Queue()
        self._ended: set[Task] = set()
        self._text: dict[Task, str] = dict.fromkeys(TASKS, "")
        self._serving: set[Task] = set()
        self._highest = 0
        self._late: dict[Task, bool] = {}
        self._saved = 0  # the step of the last checkpoint when a ps was killed
        self.outcome = Outcome()

    def run(self, limit: float) -> Outcome:
        """Runs it; fails when it takes longer than `limit` seconds, or a task ends in error."""
        start = time.monotonic()
        for task in TASKS:
            self._start(task)
        deadline = start + limit
        while not self._ended >= {task for task in TASKS if task[0] == "worker"}:
            number = self._read(deadline)
            if number is None or self._ended:
                continue
            if self._schedule.due(number):
                self._disturb(deadline)
                self._schedule.put_off(self._highest)
        self.outcome.seconds = time.monotonic() - start
        return self.outcome

    def _start(self, task: Task) -> None:
        job, index = task
        process = self._processes[task] = self._spawn(
            PROGRAM,
            json.dumps(self._spec),
            job,
            str(index),
            str(self._directory),
            str(self._schedule.steps),
            self._kind,
        )
        threading.Thread(target=self._listen, args=(task, process), daemon=True).start()

    def _start_anew(self, task: Task) -> None:
        self._processes[task].wait()
        self._start(task)

    def _listen(self, task: Task, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._lines.put((task, line, time.monotonic()))
        code = process.wait()
        if code not in (0, -signal.SIGKILL):
            self._lines.put((task, f"failed {code}", time.monotonic()))

    def _read(self, deadline: float, after: float = 0.0) -> int | None:
        """The step that the next line tells, if it tells one from later than `after`."""
        try:
            task, line, when = self._lines.get(timeout=max(deadline - time.monotonic(), 0.01))
        except queue.Empty:
            self._fail("hung")
        self._text[task] = (self._text[task] + line)[-4000:]
        if line.startswith("failed"):
            self._fail(f"{task} {line}")
        if line.startswith("serves"):
            self._serving.add(task)
        if line.startswith("ends"):
            self._ended.add(task)
        saw = re.match(r"saw (\w+)", line)
        if saw:
            self.outcome.errors[saw[1]] = self.outcome.errors.get(saw[1], 0) + 1
        found = re.match(r"step (\d+)", line)
        if found is None or when < after:
            return None
        number = int(found[1])
        # A process that waits for its turn between a step and its line tells one old step, not two.
        late, self._late[task] = self._late.get(task, False), number < self._saved
        if late and self._late[task]:
            self._fail(f"step {number} comes from before the checkpoint of step {self._saved}")
        self.outcome.lost = max(self.outcome.lost, self._highest - number)
        self._highest = number
        return number

    def _fail(self, reason: str) -> None:
        said = "\n".join(f"---- {task}\n{text}" for task, text in self._text.items())
        raise AssertionError(f"{reason} after {self.outcome.faults}\n{said}")

    def _disturb(self, deadline: float) -> None:
        """One fault; returns when the training steps again."""
        serving = [self._tasks[task] for task in TASKS if task in self._serving]
        fault, task, arguments = self._schedule.draw(serving)
        job, index = name = next(key for key, each in self._tasks.items() if each is task)
        self.outcome.faults.append(f"{fault.name} {job} {index}")
        start = time.monotonic()
        if fault.name == "kill":
            if job == "ps":
                saved = tf.train.latest_checkpoint(str(self._directory)) or "-0"
                self._saved = int(saved.rpartition("-")[2])
            self._serving.discard(name)
        fault.act(task, **arguments)
        time.sleep(arguments.get("seconds", 0.0))
        affected = time.monotonic()
        while self._read(deadline, affected + 0.05) is None and not self._ended:
            pass
        kind = f"{fault.name} {job}"
        self.outcome.recoveries.setdefault(kind, []).append(time.monotonic() - start)


def _check(outcome: Outcome, directory: Path, last_step: int) -> None:
    assert outcome.faults
    step = tf.train.load_variable(str(directory), "global_step")
    x = tf.train.load_variable(str(directory), "x")
    assert step >= last_step
    assert abs(x[0] - step) <= 100  # the two live on two ps: a step may reach one of them only
    assert abs(x[1] - 2 * x[0]) <= 4


@pytest.mark.parametrize("kind", ["async", "sync"])
def test_a_training_survives_its_faults(spawn: Spawn, tmp_path: Path, kind: str) -> None:
    schedule = tf.cluster.faults.Schedule(seed=1, every=8, steps=60)
    _check(Training(spawn, tmp_path, schedule, kind).run(limit=240), tmp_path, 60)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", ["async", "sync"])
def test_twenty_trainings_survive_their_faults(spawn: Spawn, tmp_path: Path, kind: str) -> None:
    """`-s` shows the figures; MINITF_SEEDS=5:10 makes it seeds 5 to 9."""
    recoveries: dict[str, list[float]] = {}
    for seed in range(*map(int, os.environ.get("MINITF_SEEDS", "0:20").split(":"))):
        directory = tmp_path / str(seed)
        schedule = tf.cluster.faults.Schedule(seed, every=10, steps=200)
        outcome = Training(spawn, directory, schedule, kind).run(limit=600)
        _check(outcome, directory, 200)
        for fault, seconds in outcome.recoveries.items():
            recoveries.setdefault(fault, []).extend(seconds)
        print(
            f"{kind}, seed {seed}: {len(outcome.faults)} faults in {outcome.seconds:.0f} s, "
            f"lost {outcome.lost} steps at most, errors {outcome.errors}",
            flush=True,
        )
    for fault, seconds in sorted(recoveries.items()):
        print(
            f"{fault}: {len(seconds)} times, median {statistics.median(seconds):.2f} s, "
            f"longest {max(seconds):.1f} s"
        )

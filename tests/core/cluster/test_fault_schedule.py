"""Training that tasks leave and come back to: a schedule of faults, drawn from a seed.

    2 ps + 3 workers, a process each       every few steps, one task
    2 monitored sessions, 1 plain one        is killed (-9) and started anew,
    a checkpoint every 20 steps              is stopped for a while, or
                                             loses its connections

All workers end, none hangs, the plain session sees errors of TensorFlow's classes only, and the
variables go on from the last checkpoint. docs/faults.md has the figures of 20 seeds.
"""

import json
import queue
import random
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
FAULTS = ("kill", "stop", "cut")
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


class Schedule:
    """One training with its faults.

    Args:
      spawn: starts a program.
      directory: of the checkpoints.
      seed: of the faults.
      last_step: of the training; the last 30 steps are left in peace.
      every: how many steps come between two faults.
    """

    def __init__(self, spawn: Spawn, directory: Path, seed: int, last_step: int, every: int = 10):
        self._spawn, self._directory = spawn, directory
        self._random = random.Random(seed)
        self._last_step, self._every = last_step, every
        self._spec = free_addresses(ps=2, worker=3)
        self._processes: dict[Task, subprocess.Popen[str]] = {}
        self._lines: queue.Queue[tuple[Task, str, float]] = queue.Queue()
        self._ended: set[Task] = set()
        self._text: dict[Task, str] = dict.fromkeys(TASKS, "")
        self._serving: set[Task] = set()
        self._highest = 0
        self._saved = 0  # the step of the last checkpoint when a ps was killed
        self.outcome = Outcome()

    def run(self, limit: float) -> Outcome:
        """Runs it; fails when it takes longer than `limit` seconds, or a task ends in error."""
        start = time.monotonic()
        for task in TASKS:
            self._start(task)
        deadline = start + limit
        next_fault = self._every
        while not self._ended >= {task for task in TASKS if task[0] == "worker"}:
            number = self._read(deadline)
            if number is None or self._ended:
                continue
            if next_fault <= number < self._last_step - 30:
                self._disturb(deadline)
                next_fault = self._highest + self._every
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
            str(self._last_step),
        )
        threading.Thread(target=self._listen, args=(task, process), daemon=True).start()

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
        if number < self._saved:
            self._fail(f"step {number} comes from before the checkpoint of step {self._saved}")
        self.outcome.lost = max(self.outcome.lost, self._highest - number)
        self._highest = number
        return number

    def _fail(self, reason: str) -> None:
        said = "\n".join(f"---- {task}\n{text}" for task, text in self._text.items())
        raise AssertionError(f"{reason} after {self.outcome.faults}\n{said}")

    def _disturb(self, deadline: float) -> None:
        """One fault; returns when the training steps again."""
        fault = self._random.choice(FAULTS)
        task = self._random.choice([task for task in TASKS if task in self._serving])
        self.outcome.faults.append(f"{fault} {task[0]} {task[1]}")
        process = self._processes[task]
        start = time.monotonic()
        if fault == "kill":
            if task[0] == "ps":
                saved = tf.train.latest_checkpoint(str(self._directory)) or "-0"
                self._saved = int(saved.rpartition("-")[2])
            self._serving.discard(task)
            process.kill()
            process.wait()
            self._start(task)
        elif fault == "stop":
            process.send_signal(signal.SIGSTOP)
            time.sleep(self._random.uniform(0.2, 1.5))
            process.send_signal(signal.SIGCONT)
        else:
            process.send_signal(signal.SIGUSR1)
        affected = time.monotonic()
        while self._read(deadline, affected + 0.05) is None and not self._ended:
            pass
        kind = f"{fault} {task[0]}"
        self.outcome.recoveries.setdefault(kind, []).append(time.monotonic() - start)


def _check(outcome: Outcome, directory: Path, last_step: int) -> None:
    assert outcome.faults
    step = tf.train.load_variable(str(directory), "global_step")
    x = tf.train.load_variable(str(directory), "x")
    assert step >= last_step
    assert abs(x[0] - step) <= 100  # the two live on two ps: a step may reach one of them only
    assert abs(x[1] - 2 * x[0]) <= 4


def test_a_training_survives_its_faults(spawn: Spawn, tmp_path: Path) -> None:
    outcome = Schedule(spawn, tmp_path, seed=1, last_step=70).run(limit=240)
    _check(outcome, tmp_path, 70)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(7200)
def test_twenty_trainings_survive_their_faults(spawn: Spawn, tmp_path: Path) -> None:
    """`-s` shows the figures."""
    recoveries: dict[str, list[float]] = {}
    for seed in range(20):
        directory = tmp_path / str(seed)
        outcome = Schedule(spawn, directory, seed, last_step=200).run(limit=360)
        _check(outcome, directory, 200)
        for kind, seconds in outcome.recoveries.items():
            recoveries.setdefault(kind, []).extend(seconds)
        print(
            f"seed {seed}: {len(outcome.faults)} faults in {outcome.seconds:.0f} s, "
            f"lost {outcome.lost} steps at most, errors {outcome.errors}",
            flush=True,
        )
    for kind, seconds in sorted(recoveries.items()):
        print(f"{kind}: {len(seconds)} times, median {statistics.median(seconds):.2f} s")

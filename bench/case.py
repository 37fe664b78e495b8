"""The words of the benchmarks: a case, the library a workload runs on, and a sample.

A workload file in `workloads/` holds `CASES` and one or more functions that take a `Library` and
the case's parameters and return what is to be repeated: either a function (its calls are timed) or
an object with `sample(seconds) -> Sample` (it times itself). Each workload is written once, against
`tf`, and runs on both libraries.
"""

import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, Protocol

BATCH_SECONDS = 0.005  # how long one timed batch of calls lasts, so that the clock costs nothing
NEVER_BELOW = 0.8  # beside busy neighbours, and of more processes than cores
ON_ALL_CORES = (0.8, 1.0)  # with NumPy and SciPy, and with the `fast` extra

#: The columns of the table, and the kernel tiers that minitf may use in each ("" for all that are
#: installed).
COLUMNS = {"base": "numpy,blocks,scipy", "fast": ""}


@dataclass(frozen=True)
class Case:
    """One line of the table.

    name: what is measured.
    workload: name of the file in `workloads/`.
    parameters: keyword arguments of the building function.
    build: name of that function.
    wanted: the other side's time divided by ours that is wanted, None where nothing is promised.
    wanted_fast: the same of the column with the `fast` extra, where it is another figure.
    limit: what our own value must stay below, in the case's unit, None for no limit.
    unit: "s" (values are seconds) or "MB".
    peer: the process of the other side: "tensorflow", or "plain" for Python without either.
    peer_build: name of the other side's building function where it is another program.
    threads: threads for one op on both sides; None leaves both libraries their defaults.
    busy: how many processes keep the machine busy meanwhile.
    crowd: whether it is measured once more beside two busy processes; see `crowded`.
    cores: whether it is measured once more on all cores; see `on_all_cores`.
    alone: the name of the same case with one thread and without the crowd.
    seconds: how long one sample lasts, where the usual time is wrong.
    rounds: at most so many rounds.
    cpu: whether the processor time of the one process means anything here.
    bound: what bounds our figure where it falls short, one sentence; shown then.
    """

    name: str
    workload: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    build: str = "build"
    wanted: float | None = None
    wanted_fast: float | None = None
    limit: float | None = None
    unit: str = "s"
    peer: str = "tensorflow"
    peer_build: str = ""
    threads: int | None = 1
    busy: int = 0
    crowd: bool = False
    cores: bool = False
    alone: str = ""
    seconds: float | None = None
    rounds: int = 1000
    cpu: bool = True
    bound: str = ""

    def targets(self) -> dict[str, float | None]:
        """Returns the wanted ratio of each column."""
        fast = self.wanted if self.wanted_fast is None else self.wanted_fast
        return {"base": self.wanted, "fast": fast}


def crowded(case: Case) -> Case:
    """Returns the case beside two busy processes.

    No figure may fall below 0.8 of TensorFlow's there; see `Result.expect_like`.
    """
    return replace(
        case,
        name=f"{case.name}, 2 busy neighbours",
        wanted=NEVER_BELOW,
        wanted_fast=None,
        busy=2,
        crowd=False,
        cores=False,
        alone=case.name,
        bound="Three programs share two processors: a figure depends on how they are given out, "
        "and its range is wide; in products, TensorFlow's as well as ours.",
    )


def on_all_cores(case: Case) -> Case:
    """Returns the case with the default threads of both sides, as a user runs it."""
    wanted, fast = ON_ALL_CORES
    return replace(
        case,
        name=f"{case.name}, all cores",
        wanted=wanted,
        wanted_fast=fast,
        threads=None,
        crowd=False,
        cores=False,
        alone=case.name,
    )


@dataclass(frozen=True)
class Sample:
    """One measurement: wall and processor seconds (or megabytes) of a step, and how many steps."""

    value: float
    cpu: float
    steps: int


class Measurable(Protocol):
    """A workload that times itself."""

    def sample(self, seconds: float) -> Sample:
        """Measures for about `seconds`."""


@dataclass
class Library:
    """The library a workload runs on.

    name: "minitf", "tensorflow" or "plain".
    tf: the module, None for "plain".
    python: its interpreter, for workloads that start processes of their own.
    threads: threads for one op, None for the library's default.
    closing: functions to call when the workload is done with.
    """

    name: str
    tf: Any
    python: str
    threads: int | None
    closing: list[Callable[[], None]] = field(default_factory=list)

    def config(self, inter: int | None = 1) -> Any:
        """Returns a ConfigProto with this library's number of threads."""
        if self.threads is None:
            return self.tf.ConfigProto()
        if inter is None:
            return self.tf.ConfigProto(intra_op_parallelism_threads=self.threads)
        return self.tf.ConfigProto(
            intra_op_parallelism_threads=self.threads, inter_op_parallelism_threads=inter
        )

    def session(self, target: str = "", **kwargs: Any) -> Any:
        """Opens a session that is closed when the workload is done with."""
        kwargs.setdefault("config", self.config())
        session = self.tf.Session(target, **kwargs)
        self.closing.append(session.close)
        return session

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Starts a program of this library's interpreter; it ends when the workload is done with.

        The program must end by itself when its standard input closes.
        """
        process = subprocess.Popen(
            [self.python, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.closing.append(lambda: _end(process))
        return process

    def close(self) -> None:
        """Ends what the workload has opened, last first."""
        while self.closing:
            self.closing.pop()()


def _end(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    try:
        process.wait(3.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def time_calls(step: Callable[[], object], seconds: float) -> Sample:
    """Times calls of `step` for about `seconds` in short batches; returns the lower quartile.

    A batch is shorter than the time for which another process usually gets the processor, so that
    the quieter ones among them show what the calls themselves cost. Processor time is the mean.
    """
    start = time.perf_counter()
    step()
    once = max(time.perf_counter() - start, 1e-7)
    calls = max(1, int(BATCH_SECONDS / once))
    walls, cpus, steps = [], [], 0
    end = time.perf_counter() + seconds
    while not walls or time.perf_counter() < end:
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(calls):
            step()
        walls.append((time.perf_counter() - wall) / calls)
        cpus.append((time.process_time() - cpu) / calls)
        steps += calls
        calls = max(1, int(BATCH_SECONDS / max(walls[-1], 1e-7)))
    return Sample(sorted(walls)[len(walls) // 4], sum(cpus) / len(cpus), steps)


def repeat(once: Callable[[], float], seconds: float, least: int = 3) -> Sample:
    """Calls `once`, which returns its own value, for about `seconds`; returns the median."""
    values, cpus = [], []
    end = time.perf_counter() + seconds
    while len(values) < least or time.perf_counter() < end:
        cpu = time.process_time()
        values.append(once())
        cpus.append(time.process_time() - cpu)
    return Sample(median(values), median(cpus), len(values))

"""All-reduce of 1, 16 and 64 MB over 2, 3 and 4 processes, beside gloo of PyTorch.

PyTorch has an environment of its own, which MINITF_BENCH_TORCH names (its interpreter):

    python3 -m venv gloo && gloo/bin/pip install torch==2.13.0 numpy
    MINITF_BENCH_TORCH=gloo/bin/python python bench/run.py --only all_reduce
"""

import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

from bench.case import Case, Library, Sample
from bench.workloads.ps_variable import free_tasks

MEMBER = str(Path(__file__).resolve().parent.parent / "reduce_member.py")
TORCH = "MINITF_BENCH_TORCH"

CASES = tuple(
    Case(
        f"all-reduce of {size} MB over {members} processes, beside gloo",
        "all_reduce",
        {"megabytes": size, "members": members},
        wanted=0.8 if size == 64 else 1.0,
        peer="plain",
        peer_build="build_gloo",
        seconds=0.5,
        cpu=False,
        bound="Memory: each byte is copied to and from what both have, and added.",
    )
    for members in (2, 3, 4)
    for size in (1, 16, 64)
)


class Members:
    """Processes that reduce together while they are told to; the first one says how long it took.

    Args:
      library: whose interpreter runs them.
      python: instead of that.
      name: "minitf" or "gloo".
      megabytes: how large the tensor is.
      members: how many processes.
    """

    def __init__(
        self, library: Library, name: str, megabytes: int, members: int, python: str = ""
    ) -> None:
        library.python, own = python or library.python, library.python
        tasks = json.dumps(free_tasks(worker=members))
        self._processes = [
            library.start(MEMBER, name, tasks, str(i), str(megabytes)) for i in range(members)
        ]
        library.python = own
        for process in self._processes:
            if self._line(process) != "ready":
                raise RuntimeError(f"a member that uses {name} ended")

    def sample(self, seconds: float) -> Sample:
        """Reduces for about `seconds`; returns the median of the first member's times."""
        once = self._times(1)[0]
        times = self._times(max(3, min(200, int(seconds / once))))
        return Sample(statistics.median(times), 0.0, len(times))

    def _times(self, count: int) -> list[float]:
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write(f"{count}\n")
            process.stdin.flush()
        found: list[list[float]] = [json.loads(self._line(p)) for p in self._processes]
        return found[0]

    @staticmethod
    def _line(process: Any) -> str:
        return process.stdout.readline().strip()


def build(library: Library, megabytes: int, members: int) -> Members:
    return Members(library, "minitf", megabytes, members)


def build_gloo(library: Library, megabytes: int, members: int) -> Members:
    python = os.environ.get(TORCH)
    if not python:
        raise RuntimeError(f"gloo is left out: {TORCH} names no interpreter that has PyTorch")
    return Members(library, "gloo", megabytes, members, python)


def measure(reduce: Any, rest: Any) -> None:
    """In a member: as many times as each line of the input says; prints the seconds of each."""
    print("ready", flush=True)
    while line := input():
        times = []
        for _ in range(int(line)):
            rest()
            start = time.perf_counter()
            reduce()
            times.append(time.perf_counter() - start)
        print(json.dumps(times), flush=True)

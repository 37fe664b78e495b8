"""Asynchronous SGD, between-graph: one ps and two workers, four processes with this one."""

import json
from typing import Any

from bench.case import Case, Library, Sample
from bench.workloads.ps_variable import PEER, free_tasks

CASES = (
    Case(
        "asynchronous SGD, 1 ps + 2 workers (per step)",
        "async_sgd",
        {"workers": 2},
        wanted=1.5,
        seconds=1.5,
        cpu=False,
    ),
)


def build(library: Library, workers: int) -> "Training":
    return Training(library, workers)


class Training:
    """Tells the workers to train for some time and adds up their steps."""

    def __init__(self, library: Library, workers: int):
        tasks = json.dumps(free_tasks(ps=1, worker=workers))
        library.start(PEER, library.name, tasks, "ps", "0")
        self._workers = [
            library.start(PEER, library.name, tasks, "worker", str(i)) for i in range(workers)
        ]
        for worker in self._workers:
            self._read(worker)  # "ready"

    def sample(self, seconds: float) -> Sample:
        """Returns the time in which the workers together make one step."""
        for worker in self._workers:
            assert worker.stdin is not None
            worker.stdin.write(f"{seconds}\n")
            worker.stdin.flush()
        rates = [json.loads(self._read(worker)) for worker in self._workers]
        total = sum(one["steps"] / one["seconds"] for one in rates)
        return Sample(1.0 / total, 0.0, sum(one["steps"] for one in rates))

    @staticmethod
    def _read(worker: Any) -> str:
        line = worker.stdout.readline()
        if not line:
            raise RuntimeError("a worker ended before it answered")
        return str(line)

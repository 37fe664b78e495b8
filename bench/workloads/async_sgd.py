"""Asynchronous and synchronous SGD, between-graph: one ps and workers, a process each."""

import json
from typing import Any

from bench.case import NEVER_BELOW, Case, Library, Sample
from bench.workloads.ps_variable import PEER, free_tasks

CASES = (
    Case(
        "asynchronous SGD, 1 ps + 2 workers (per step)",
        "async_sgd",
        {"work": "worker", "workers": 2},
        wanted=3.0,
        seconds=1.5,
        cpu=False,
        bound="A step takes 1.3 ms of processor time, 0.5 of it on the ps: at least 0.66 ms on the "
        "two cores that three processes share.",
    ),
    Case(
        "synchronous SGD, 1 ps + 2 workers (per worker's step)",
        "async_sgd",
        {"work": "sync", "workers": 2},
        wanted=2.0,
        seconds=1.5,
        cpu=False,
        bound="A worker's step takes 2.3 ms of processor time, 1.0 of it on the ps: at least 1.15 "
        "ms on two cores. The rest waits for the other worker and for a token.",
    ),
    Case(
        "asynchronous SGD, 1 ps + 4 workers (per step)",
        "async_sgd",
        {"work": "worker", "workers": 4},
        wanted=NEVER_BELOW,
        threads=None,
        seconds=1.5,
        cpu=False,
    ),
)


def build(library: Library, work: str, workers: int) -> "Training":
    return Training(library, work, workers)


class Training:
    """Tells the workers to train for some time and adds up their steps."""

    def __init__(self, library: Library, work: str, workers: int):
        tasks = json.dumps(free_tasks(ps=1, worker=workers))
        library.start(PEER, library.name, tasks, "ps", "0")
        self._workers = [
            library.start(PEER, library.name, tasks, work, str(i)) for i in range(workers)
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

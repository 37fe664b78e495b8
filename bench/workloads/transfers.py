"""Tensors of 1, 16 and 64 MB between a worker and a ps: the first ten, and those that follow."""

import json
from collections.abc import Callable
from statistics import fmean
from typing import Any

from bench.case import Case, Library, Sample
from bench.workloads.ps_variable import PEER, free_tasks

SIZES = (1, 16, 64)  # MB
WAYS = {"pull": "from", "push": "to"}

CASES = (
    *(
        Case(
            f"{way} of {size} MB {word} a ps",
            "transfers",
            {"direction": way, "megabytes": size},
            wanted=1.5,
            seconds=0.5,
            cpu=False,
        )
        for way, word in WAYS.items()
        for size in SIZES
    ),
    *(
        Case(
            f"the first ten, {way} of {size} MB (mean)",
            "transfers",
            {"direction": way, "megabytes": size},
            build="build_first",
            wanted=1.5,
            rounds=3,
            cpu=False,
            bound="Memory touched for the first time (12 GB/s, on both sides), the connection and "
            "the plan; later ones take half.",
        )
        for way in WAYS
        for size in SIZES
    ),
)


def build(library: Library, direction: str, megabytes: int) -> Callable[[], object]:
    tf = library.tf
    tasks = free_tasks(ps=1, worker=1)
    library.start(PEER, library.name, json.dumps(tasks), "ps", "0")
    server = tf.train.Server(
        tf.train.ClusterSpec(tasks), job_name="worker", task_index=0, config=library.config(None)
    )
    moved = transfer(tf, direction, megabytes)
    session = library.session(server.target, config=library.config(None))
    session.run(tf.global_variables_initializer())
    return lambda: session.run(moved)


def build_first(library: Library, direction: str, megabytes: int) -> "FirstTransfers":
    return FirstTransfers(library, direction, megabytes)


def transfer(tf: Any, direction: str, megabytes: int) -> Any:
    """Builds what moves a variable to the other task, which takes a number of it."""
    ends = ["/job:ps/task:0/cpu:0", "/job:worker/task:0/cpu:0"]
    here, there = ends if direction == "pull" else reversed(ends)
    with tf.device(here):
        variable = tf.Variable(tf.ones([megabytes << 18]))
    with tf.device(there):
        return tf.reduce_max(tf.identity(variable)[:8])


class FirstTransfers:
    """A new worker and a new ps each time, whose memory is fresh, and whose graph is not known."""

    def __init__(self, library: Library, direction: str, megabytes: int):
        self._library = library
        self._work = (direction, "0", str(megabytes))

    def sample(self, seconds: float) -> Sample:
        """Returns the mean of the first ten."""
        tasks = json.dumps(free_tasks(ps=1, worker=1))
        self._library.start(PEER, self._library.name, tasks, "ps", "0")
        worker = self._library.start(PEER, self._library.name, tasks, *self._work)
        assert worker.stdout is not None
        times = json.loads(worker.stdout.readline() or "[]")
        self._library.close()
        if not times:
            raise RuntimeError("the worker ended before it had made its transfers")
        return Sample(fmean(times), 0.0, len(times))

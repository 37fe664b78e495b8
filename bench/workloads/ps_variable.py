"""A small variable on a parameter server in another process: reading it, adding to it."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.case import Case, Library

PEER = str(Path(__file__).resolve().parent.parent / "peer.py")

CASES = (
    Case(
        "Session.run of a ps variable",
        "ps_variable",
        wanted=4.0,
        cpu=False,
        bound="A message each way between two processes of Python, which alone takes four fifths.",
    ),
    Case(
        "assign_add on a ps variable",
        "ps_variable",
        build="build_push",
        cpu=False,
    ),
)


def build(library: Library) -> Callable[[], object]:
    session, variable = _cluster(library)
    return lambda: session.run(variable)


def build_push(library: Library) -> Callable[[], object]:
    session, variable = _cluster(library)
    add = variable.assign_add(1.0).op
    return lambda: session.run(add)


def _cluster(library: Library) -> tuple[Any, Any]:
    """Starts a ps; returns a session on the worker in this process, and a variable on the ps."""
    tf = library.tf
    tasks = free_tasks(ps=1, worker=1)
    library.start(PEER, library.name, json.dumps(tasks), "ps", "0")
    server = tf.train.Server(
        tf.train.ClusterSpec(tasks), job_name="worker", task_index=0, config=library.config(None)
    )
    with tf.device("/job:ps/task:0/cpu:0"):
        variable = tf.Variable(0.0)
    session = library.session(server.target, config=library.config(None))
    session.run(variable.initializer)
    return session, variable


def free_tasks(**numbers: int) -> dict[str, list[str]]:
    """Returns addresses on this machine that were free a moment ago, so many for each job."""
    sockets = {
        job: [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
        for job, number in numbers.items()
    }
    tasks = {
        job: [f"127.0.0.1:{one.getsockname()[1]}" for one in of_job]
        for job, of_job in sockets.items()
    }
    for of_job in sockets.values():
        for one in of_job:
            one.close()
    return tasks

"""Large clusters: a thousand tasks in one process, and as many processes as a classroom has."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.core.cluster.conftest import free_addresses

PROGRAMS = Path(__file__).resolve().parent / "programs"


@pytest.mark.long
def test_a_thousand_tasks_come_up_train_and_leave() -> None:
    start = time.monotonic()
    script = str(PROGRAMS / "thousand_tasks.py")
    done = subprocess.run([sys.executable, script, "1000"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    what = [line.split(" after ")[0] for line in done.stdout.splitlines()]
    assert what == ["1000 tasks up", *3 * ["trained a step"], "left"]
    assert time.monotonic() - start < 60


@pytest.mark.long
def test_twenty_four_processes(spawn: Callable[..., Any]) -> None:
    workers = 23
    spec = free_addresses(ps=1, worker=workers)
    tasks = [("ps", 0), *(("worker", i) for i in range(workers))]
    running = []
    for begin in range(0, len(tasks), 4):  # so many start at once that each gets on
        some = [
            spawn(str(PROGRAMS / "serve.py"), json.dumps(spec), job, str(index))
            for job, index in tasks[begin : begin + 4]
        ]
        for process in some:
            assert process.stdout.readline() == "serves\n"
        running += some
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(np.full(1000, 8.0, np.float32), name="w")
    parts = []
    for i in range(workers):
        with tf.device(f"/job:worker/task:{i}"):
            parts.append(w * 0.5)
    with tf.device("/job:ps/task:0"):
        train = w.assign_sub(tf.add_n(parts) / float(workers)).op
    with tf.Session(f"grpc://{spec['worker'][0]}") as sess:
        assert len(sess.list_devices()) >= 24
        sess.run(w.initializer)
        for _ in range(3):
            sess.run(train)
        assert np.allclose(sess.run(w), 1.0)
    assert all(process.poll() is None for process in running)

"""Programs as a user starts them: one process a task, told by TF_CONFIG which one it is."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server

from .conftest import eventually, free_addresses

PROGRAM = str(Path(__file__).parent / "programs" / "train_mnistlike.py")
Spawn = Callable[..., subprocess.Popen[str]]


def _start(spawn: Spawn, spec: dict, job: str, index: int, updates: int) -> subprocess.Popen[str]:
    config = {"cluster": spec, "task": {"type": job, "index": index}}
    return spawn(PROGRAM, str(updates), TF_CONFIG=json.dumps(config))


def test_one_ps_and_two_workers_train_and_end(spawn: Spawn) -> None:
    spec = free_addresses(ps=1, worker=2)
    tasks = [("worker", 1), ("worker", 0), ("ps", 0)]  # in the least convenient order
    processes = [_start(spawn, spec, job, index, 1500) for job, index in tasks]
    outputs = [process.communicate(timeout=90)[0] for process in processes]
    for process, output in zip(processes, outputs, strict=True):
        assert process.returncode == 0, output
    steps = 0
    for output in outputs[:2]:
        found = re.search(r"worker \d: (\d+) steps, accuracy ([\d.]+)", output)
        assert found, output
        steps += int(found.group(1))
        assert float(found.group(2)) > 0.85
    assert steps >= 1500
    assert "ps ends" in outputs[2]


def test_a_restarted_ps_is_told_apart_and_a_new_session_finds_it(spawn: Spawn) -> None:
    spec = free_addresses(ps=1, worker=1)
    ps = spawn("-c", _SERVE, json.dumps(spec))
    worker = Server(spec, "worker", 0)
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(7.0, name="v")
        session = tf.Session(worker.target)
        session.run(v.initializer)
        assert session.run(v) == 7
        ps.kill()
        ps.wait()
        for _ in range(2):
            start = time.monotonic()
            with pytest.raises(tf.errors.UnavailableError, match=spec["ps"][0]):
                session.run(v)
            assert time.monotonic() - start < 5
        spawn("-c", _SERVE, json.dumps(spec))
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                session.run(v)
            except tf.errors.UnavailableError:
                continue
            except tf.errors.AbortedError as error:
                assert "probably restarted" in error.message
                break
        else:
            raise AssertionError("the ps did not come back")
        session.close()
        with tf.Session(worker.target) as again:
            with pytest.raises(tf.errors.FailedPreconditionError):
                again.run(v)
            again.run(v.initializer)
            assert again.run(v) == 7
    worker.stop()


def test_a_time_limit_ends_a_step_that_waits_for_a_stopped_task(spawn: Spawn) -> None:
    spec = free_addresses(ps=1, worker=1)
    ps = spawn("-c", _SERVE, json.dumps(spec))
    worker = Server(spec, "worker", 0)
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(np.ones(3, np.float32))
        with tf.device("/job:worker/task:0"):
            y = v + 1.0
        with tf.Session(worker.target) as session:
            session.run(v.initializer)
            assert session.run(y).tolist() == [2, 2, 2]
            os.kill(ps.pid, signal.SIGSTOP)
            time.sleep(0.2)  # the signal takes a moment
            start = time.monotonic()
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(y, options=tf.RunOptions(timeout_in_ms=300))
            assert time.monotonic() - start < 5
            os.kill(ps.pid, signal.SIGCONT)
            assert session.run(y).tolist() == [2, 2, 2]
    worker.stop()


def test_a_client_that_is_killed_ends_its_step(spawn: Spawn) -> None:
    spec = free_addresses(ps=1, worker=1)
    ps = spawn("-c", _SERVE, json.dumps(spec))
    worker = Server(spec, "worker", 0)
    client = spawn("-c", _CLIENT, worker.target)
    assert client.stdout is not None
    assert "runs" in client.stdout.readline()
    os.kill(ps.pid, signal.SIGSTOP)
    time.sleep(0.5)
    assert eventually(lambda: worker._worker._steps)
    client.kill()
    deadline = time.monotonic() + 5
    while worker._worker._steps and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not worker._worker._steps
    os.kill(ps.pid, signal.SIGCONT)
    worker.stop()


_SERVE = """
import json, sys
from minitf.core.cluster.service.server import Server
Server(json.loads(sys.argv[1]), "ps", 0).join()
"""

_CLIENT = """
import sys
import minitf as tf
with tf.device("/job:ps/task:0"):
    v = tf.Variable(1.0)
with tf.device("/job:worker/task:0"):
    y = v + 1.0
session = tf.Session(sys.argv[1])
session.run(v.initializer)
session.run(y)
print("runs", flush=True)
while True:
    session.run(y)
"""


THREADS_TRAIN_ON = """
import threading, time
import minitf as tf

server = tf.train.Server.create_local_server()
queue = tf.FIFOQueue(1, tf.int32, shared_name="queue")
enqueue, dequeue = queue.enqueue(7), queue.dequeue()
config = tf.ConfigProto()
config.rpc_options.use_rpc_for_inprocess_master = True
session = tf.Session(server.target, config=config)

def later():
    time.sleep(4)  # several heartbeats
    session.run(enqueue)

threading.Thread(target=lambda: print(session.run(dequeue))).start()
threading.Thread(target=later).start()
"""


def test_threads_train_on_when_the_main_thread_has_ended(spawn: Spawn) -> None:
    output = spawn("-c", THREADS_TRAIN_ON).communicate(timeout=60)[0]
    assert output == "7\n"

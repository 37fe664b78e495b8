"""What becomes of a step when one of its parts fails, hangs or dies, or its client goes away."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server

from .conftest import eventually, free_addresses, is_busy

PROGRAMS = Path(__file__).parent / "programs"
PS, W0, W1 = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"
Cluster = dict[str, list[Server]]
Spawn = Callable[..., subprocess.Popen[str]]


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


@pytest.fixture(params=["direct", "by message"])
def target(request: pytest.FixtureRequest, cluster: Cluster, monkeypatch: Any) -> str:
    """Worker 0 of the cluster, by a direct call and as another process would have it."""
    if request.param == "by message":
        monkeypatch.setattr(
            "minitf.core.cluster.service.remote_session.server_in_this_process",
            lambda address: None,
        )
    return cluster["worker"][0].target


@pytest.fixture
def two_ps() -> Iterator[Cluster]:
    """Two ps and a worker, all in this process."""
    spec = free_addresses(ps=2, worker=1)
    tasks = {job: [Server(spec, job, i) for i in range(len(spec[job]))] for job in spec}
    yield tasks
    for servers in tasks.values():
        for server in servers:
            server.stop()


class Run(threading.Thread):
    """One `session.run` in a thread of its own, so that a hang fails its test alone."""

    def __init__(self, session: tf.Session, fetch: Any, feeds: Any = None):
        super().__init__(daemon=True)
        self._work = lambda: session.run(fetch, feeds)
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except tf.errors.OpError as error:
            self.error = error

    def wait(self, seconds: float = 30.0) -> BaseException | None:
        """What it raised."""
        self.join(seconds)
        assert not self.is_alive(), "the run hangs"
        return self.error


# ---- a failing operation ---------------------------------------------------------------------


@pytest.mark.parametrize("failing", [PS, W0, W1])
def test_failing_and_good_steps_in_turn(target: str, failing: str) -> None:
    """The error is the operation's each time, and no good step suffers from the one before."""
    with tf.device(PS):
        w = tf.Variable(np.ones((4, 4), np.float32))
    x = tf.placeholder(tf.float32, [None, None])
    values = []
    for task in (W0, W1, PS):
        with tf.device(task):
            checked = w * 1.0
            if task == failing:
                checked = tf.matmul(x, checked, name="fails")
            values.append(tf.reduce_sum(checked))
    with tf.device(PS):
        update = w.assign_add(tf.zeros([4, 4]) * values[0])
    with tf.Session(target) as session:
        session.run(w.initializer)
        good, bad = np.eye(4, dtype=np.float32), np.ones((2, 3), np.float32)
        wrong = []
        for turn in range(200):
            try:
                got = session.run([*values, update.op], {x: bad if turn % 2 else good})[:3]
                if turn % 2 or got != [16, 16, 16]:
                    wrong.append((turn, got))
            except tf.errors.OpError as error:
                expected = isinstance(error, tf.errors.InvalidArgumentError)
                if not turn % 2 or not expected or "fails" not in error.message:
                    wrong.append((turn, error))
        assert not wrong, f"{len(wrong)} of 200, the first: {wrong[0]}"


@pytest.mark.parametrize("failing", [0, 1])
def test_a_step_ends_while_a_living_ps_waits(two_ps: Cluster, failing: int) -> None:
    """The other ps has sent its part, and waits for a gradient that will not come."""

    def fail_late(value: np.ndarray) -> np.ndarray:
        time.sleep(0.3)
        raise tf.errors.DataLossError(None, None, "broken")

    parts = []
    for k in range(2):
        with tf.device(f"/job:ps/task:{k}"):
            v = tf.Variable(np.ones(3, np.float32))
            sent = tf.py_func(fail_late, [v], tf.float32) if k == failing else v * 2.0
            parts.append((v, sent))
    with tf.device(W0):
        gradient = parts[0][1] + parts[1][1]
    gradient.set_shape([3])
    updates = []
    for k, (v, _) in enumerate(parts):
        with tf.device(f"/job:ps/task:{k}"):
            updates.append(v.assign_sub(gradient).op)
    with tf.Session(two_ps["worker"][0].target) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            assert isinstance(Run(session, updates).wait(), tf.errors.DataLossError)
        assert session.run(parts[1 - failing][0]).tolist() == [1, 1, 1]
    for server in [*two_ps["ps"], *two_ps["worker"]]:
        assert eventually(lambda server=server: not is_busy(server))


@pytest.mark.parametrize("waiting", ["queue", "loop"])
def test_the_masters_own_part_ends_with_the_others(target: str, waiting: str) -> None:
    """It waits for something else, or computes, and does not look at what the others answer."""
    with tf.device(W0):
        if waiting == "queue":
            own = tf.FIFOQueue(1, tf.int32).dequeue()
        else:
            own = tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [0])
    with tf.device(W1), tf.control_dependencies([tf.Assert(tf.constant(False), ["no"])]):
        other = tf.constant(1.0) * 2.0
    with tf.Session(target) as session:
        error = Run(session, [own, other]).wait()
        assert isinstance(error, tf.errors.InvalidArgumentError)
        assert "assertion failed" in error.message


def test_tasks_that_hang_do_not_delay_the_error() -> None:
    """All are told at once that the step is over, and those that do not listen cost one wait."""
    spec = free_addresses(ps=6, worker=1)
    servers = [Server(spec, job, i) for job in spec for i in range(len(spec[job]))]
    thawed = threading.Event()
    hanging = servers[:6]
    for server in hanging:
        server._server.handle("cleanup_graph", lambda call: (thawed.wait(60), ({}, ()))[1])
    waits = []
    for k in range(6):
        with tf.device(f"/job:ps/task:{k}"):
            waits.append(tf.FIFOQueue(1, tf.int32).dequeue())
    with tf.device(W0):
        fails = tf.Assert(tf.constant(False), ["no"])
    with tf.Session(servers[6].target) as session:
        start = time.monotonic()
        assert isinstance(Run(session, [waits, fails]).wait(), tf.errors.InvalidArgumentError)
        assert time.monotonic() - start < 6  # one after the other they would cost 12 seconds
        thawed.set()
    for server in servers:
        server.stop()


# ---- a task that dies ------------------------------------------------------------------------


@pytest.mark.parametrize("killed", [0, 1])
def test_one_of_two_ps_dies_in_mid_step(spawn: Spawn, killed: int) -> None:
    spec = free_addresses(ps=2, worker=1)
    ps = [_serve(spawn, spec, "ps", k) for k in range(2)]
    worker = Server(spec, "worker", 0)
    variables, updates = [], []
    for k in range(2):
        with tf.device(f"/job:ps/task:{k}"):
            variables.append(tf.Variable(np.ones((50, 50), np.float32)))
    with tf.device(W0):
        loss = sum(tf.reduce_sum(tf.square(tf.matmul(v, v))) for v in variables)
        gradients = tf.gradients(loss, variables)
    for k in range(2):
        with tf.device(f"/job:ps/task:{k}"):
            updates.append(variables[k].assign_sub(1e-9 * gradients[k]).op)
    with tf.Session(worker.target) as session:
        session.run(tf.global_variables_initializer())

        def train() -> None:
            while True:
                session.run(updates)

        run = Run.__new__(Run)
        threading.Thread.__init__(run, daemon=True)
        run.error, run._work = None, train
        run.start()
        time.sleep(0.3)
        ps[killed].kill()
        error = run.wait()
        assert isinstance(error, tf.errors.UnavailableError)
        assert spec["ps"][killed] in error.message
        assert session.run(variables[1 - killed]).shape == (50, 50)  # the other is free again
    worker.stop()


def test_a_ps_dies_while_the_masters_own_part_waits_for_a_queue(spawn: Spawn) -> None:
    spec = free_addresses(ps=1, worker=1)
    ps = _serve(spawn, spec, "ps", 0)
    worker = Server(spec, "worker", 0)
    with tf.device(PS):
        remote = tf.FIFOQueue(1, tf.int32).dequeue()
    with tf.device(W0):
        own = tf.FIFOQueue(1, tf.int32).dequeue()
    with tf.Session(worker.target) as session:
        run = Run(session, [remote, own])
        assert eventually(lambda: is_busy(worker))
        time.sleep(0.3)
        ps.kill()
        assert isinstance(run.wait(), tf.errors.UnavailableError)
    worker.stop()


def test_a_dead_masters_tensors_are_forgotten(spawn: Spawn) -> None:
    """The ps has run its part, and nobody fetched what it made for worker 1 before the master died.

    The two tasks live here, the master in a process of its own.
    """
    spec = free_addresses(ps=1, worker=2)
    ps, other = Server(spec, "ps", 0), Server(spec, "worker", 1)
    master = _client(spawn, spec, "leftovers")
    assert eventually(lambda: ps._worker._steps and other._worker._steps)
    assert eventually(lambda: not any(ps._server._connections.values()))  # it has run its part
    assert ps._worker._steps
    master.kill()
    for server in (ps, other):
        assert eventually(lambda server=server: not is_busy(server))
        server.stop()


# ---- a step that is given up -----------------------------------------------------------------


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("kind", ["ps loop", "both loop"])
def test_a_step_whose_client_goes_away_computes_no_more(
    spawn: Spawn, sent: signal.Signals, kind: str
) -> None:
    spec = free_addresses(ps=1, worker=1)
    ps = Server(spec, "ps", 0)
    client = _client(spawn, spec, kind)
    assert eventually(lambda: is_busy(ps))
    time.sleep(0.3)
    os.kill(client.pid, sent)
    assert eventually(lambda: not is_busy(ps))
    if sent == signal.SIGINT:
        output = client.communicate(timeout=30)[0]
        assert "interrupted" in output
        assert "then 7" in output  # the session is good for the next step
    ps.stop()


@pytest.mark.parametrize("device", [PS, W0])
@pytest.mark.parametrize("kind", ["queue", "loop"])
def test_closing_a_session_ends_its_steps(
    target: str, cluster: Cluster, device: str, kind: str
) -> None:
    with tf.device(device):
        if kind == "queue":
            fetch = tf.FIFOQueue(1, tf.int32).dequeue()
        else:
            fetch = tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [0])
    session = tf.Session(target)
    run = Run(session, fetch)
    server = cluster["ps" if device == PS else "worker"][0]
    assert eventually(lambda: is_busy(server))
    time.sleep(0.2)
    session.close()
    error = run.wait()
    assert isinstance(error, tf.errors.CancelledError)
    # TensorFlow's words.
    assert "Step was cancelled by an explicit call to `Session::Close()`." in error.message
    assert eventually(lambda: not is_busy(server))


def test_a_limit_of_time_ends_a_step_that_computes_elsewhere(target: str) -> None:
    with tf.device(PS):
        loop = tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [0])
        good = tf.constant(3) + 4
    with tf.Session(target) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(loop, options=tf.RunOptions(timeout_in_ms=300))
        assert session.run(good) == 7


def _serve(spawn: Spawn, spec: dict, job: str, index: int) -> subprocess.Popen[str]:
    process = spawn(str(PROGRAMS / "serve.py"), json.dumps(spec), job, str(index))
    assert process.stdout is not None
    assert "serves" in process.stdout.readline()
    return process


def _client(spawn: Spawn, spec: dict, kind: str) -> subprocess.Popen[str]:
    return spawn(str(PROGRAMS / "abandon.py"), json.dumps(spec), kind)

"""Strategies of several processes, one program for all, each with its own TF_CONFIG."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from tests.core.cluster.conftest import free_addresses, spawn

__all__ = ["spawn"]  # the fixture
PROGRAM = str(Path(__file__).parent / "programs" / "worker.py")
STEPS = 6
Start = Callable[..., "Popen[str]"]


def _run(spawn: Start, kind: str, spec: dict, wanted: str) -> list:
    """What the tasks of one job print."""
    tasks = []
    for job, addresses in spec.items():
        for index in range(len(addresses)):
            config = json.dumps({"cluster": spec, "task": {"type": job, "index": index}})
            tasks.append((job, spawn(PROGRAM, kind, str(STEPS), TF_CONFIG=config)))
    found = []
    for job, process in tasks:
        if job == wanted:
            output = process.communicate(timeout=90)[0]
            assert process.returncode == 0, output
            line = next(line for line in output.splitlines() if line.startswith("FOUND"))
            found.append(json.loads(line.removeprefix("FOUND")))
    return found


def _alone(first: list[float]) -> tuple[list[float], np.ndarray]:
    """What one process computes on the global batches."""
    x_all = np.random.RandomState(0).rand(16, 5).astype("f")
    y_all = np.random.RandomState(1).rand(16, 1).astype("f")
    with tf.Graph().as_default():
        w, b = tf.Variable(np.array(first, "f").reshape(5, 1)), tf.Variable([0.0])
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        loss = tf.reduce_sum((tf.matmul(x, w) + b - y) ** 2) / 8
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for i in range(STEPS):
                rows = slice(8 * (i % 2), 8 * (i % 2) + 8)
                losses.append(sess.run([loss, train], {x: x_all[rows], y: y_all[rows]})[0])
            return losses, sess.run(w).ravel()


def test_two_workers_train_as_one_would(spawn: Start) -> None:
    one, two = _run(spawn, "mirrored", free_addresses(worker=2), "worker")
    assert one == two  # to the last bit: nobody is ahead
    expected, w = _alone(one[1][0])
    np.testing.assert_allclose(one[0], expected, rtol=1e-5)
    np.testing.assert_allclose(one[1][1], w, rtol=1e-5)
    assert one[2] == STEPS


def test_two_workers_share_variables_at_their_own_pace(spawn: Start) -> None:
    found = _run(spawn, "servers", free_addresses(worker=2, ps=1), "worker")
    assert max(each[2] for each in found) == 2 * STEPS


def test_tasks_meet_eagerly(spawn: Start, tmp_path: Path) -> None:
    spec = free_addresses(chief=1, worker=1)
    tasks = []
    for job in spec:
        config = json.dumps({"cluster": spec, "task": {"type": job, "index": 0}})
        program = PROGRAM.replace("worker.py", "eager_worker.py")
        tasks.append(spawn(program, str(tmp_path), TF_CONFIG=config))
    chief, worker = (task.communicate(timeout=90)[0].splitlines() for task in tasks)
    own, other = (
        json.loads(next(line for line in lines if line.startswith("FOUND"))[5:])
        for lines in (chief, worker)
    )
    assert own[0] and not other[0] and own[1] == other[1]  # to the last bit
    assert own[1][2] == 4.0  # what both have counted
    assert chief[-2:] == ["gone", "gone"]
    assert {each.name for each in tmp_path.iterdir()} == {
        "checkpoint", "weights.index", "weights.data-00000-of-00001",
    }  # fmt: skip


def test_parameter_servers_are_for_estimators_when_eager(monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"cluster": {"ps": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    strategy = tf.distribute.experimental.ParameterServerStrategy()
    dataset = tf.data.Dataset.range(2)
    with eager_mode():
        for use in (
            lambda: strategy.scope(),
            lambda: strategy.experimental_run_v2(lambda: 1),
            lambda: strategy.experimental_distribute_dataset(dataset),
        ):
            with pytest.raises(NotImplementedError, match=r"only works with the tf\.Estimator API"):
                use()

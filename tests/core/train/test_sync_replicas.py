"""Synchronous training: what each worker adds, who waits for whom, what comes too late."""

import threading
from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.core.cluster.conftest import free_addresses


def test_two_gradients_make_one_update() -> None:
    """Two workers with different data: each update is the mean of two gradients, and counted once.

    Which two is open: a fast worker may take both tokens of a step.
    """
    pytest.importorskip("distributed")
    addresses = free_addresses(ps=1, worker=2)
    servers = [
        tf.train.Server(addresses, job, i) for job in addresses for i in range(len(addresses[job]))
    ]
    ready = [threading.Event(), threading.Event()]
    gradients = [[1.0, 3.0], [3.0, 1.0]]
    errors: list[BaseException] = []

    def work(index: int) -> None:
        try:
            with tf.Graph().as_default():
                train(index)
        except BaseException as error:
            errors.append(error)

    def train(index: int) -> None:
        worker = f"/job:worker/task:{index}"
        with tf.device(tf.train.replica_device_setter(worker_device=worker, cluster=addresses)):
            step = tf.train.get_or_create_global_step()
            w = tf.get_variable("w", initializer=[1.0, 1.0])
            optimizer = tf.train.SyncReplicasOptimizer(
                tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2
            )
            add = optimizer.minimize(tf.reduce_sum(w * gradients[index]), global_step=step)
        hooks = [
            optimizer.make_session_run_hook(index == 0),
            tf.train.StopAtStepHook(last_step=4),
        ]
        if index:
            ready[0].wait(60)
        with tf.train.MonitoredTrainingSession(
            servers[1 + index].target, index == 0, hooks=hooks, stop_grace_period_secs=5
        ) as session:
            ready[index].set()
            ready[1 - index].wait(60)
            while not session.should_stop():
                session.run(add)

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(2)]
    try:
        for thread in threads:
            thread.start()
        threads[0].join(100)
        with tf.device("/job:ps/task:0"):
            w = tf.get_variable("w", [2])
            step = tf.get_variable("global_step", [], tf.int64)
        with tf.Session(servers[1].target) as session:
            moved, steps = (1.0 - session.run(w)) / 0.1, session.run(step)
        assert steps >= 4
        assert np.allclose(moved.sum(), 4.0 * steps)  # the mean of two is [1, 3], [2, 2] or [3, 1]
        assert not errors
    finally:
        for server in servers:
            server.stop()


def test_who_takes_waits_for_enough() -> None:
    accumulator = tf.ConditionalAccumulator(tf.float32, [2])
    value = tf.placeholder(tf.float32, [2])
    add, take = accumulator.apply_grad(value), accumulator.take_grad(3)
    with tf.Session() as session:
        taken: list[Any] = []
        thread = threading.Thread(target=lambda: taken.append(session.run(take)))
        thread.start()
        for i in range(3):
            assert not taken
            session.run(add, {value: [i, 10.0 * i]})
        thread.join(20)
        assert taken[0].tolist() == [1.0, 10.0]

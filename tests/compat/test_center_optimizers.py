"""Optimizers of `tf.contrib.opt` whose workers train copies that meet every few steps."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.core.cluster.conftest import free_addresses

opt = tf.contrib.opt
CENTER = "global_center_variable"


class Worker:
    """One worker of a training: its graph, its session and its step."""

    def __init__(self, make: Callable, getter: Any, target: str = "", task: int = 0) -> None:
        device = f"/job:worker/task:{task}" if target else "/cpu:0"
        self.graph = tf.Graph()
        with self.graph.as_default():
            custom = getter(worker_device=device)
            setter = tf.train.replica_device_setter(1, worker_device=device) if target else ""
            with tf.device(setter), tf.variable_scope("", custom_getter=custom):
                self.step = tf.train.get_or_create_global_step()
                v = tf.get_variable("v", initializer=0.0)
                parts = tf.get_variable(
                    "p", [2, 2], initializer=tf.ones_initializer(),
                    partitioner=tf.fixed_size_partitioner(2),
                )  # fmt: skip
            with tf.device(device):
                self.optimizer, hook, slope = make(custom)
                slopes = [(tf.constant(slope), v), *((tf.fill([1, 2], slope), p) for p in parts)]
                self.train = self.optimizer.apply_gradients(slopes, self.step)
            saver = getattr(self.optimizer, "swapping_saver", None)
            self.saver: Any = saver and saver()
            self.names = ["v:0", f"{CENTER}/v:0", "p/part_1:0", f"{CENTER}/p/part_1:0"]
            # each initializes all, before a step: who is no chief looks every 30 s for one
            self.session = tf.train.MonitoredTrainingSession(target, hooks=[hook(self.optimizer)])

    def run(self, times: int = 1) -> None:
        for _ in range(times):
            self.session.run(self.train)

    def values(self) -> list[float]:
        """The copy of `v`, its center, the step, and of a part the copy and the center."""
        v, center, part, part_center, step = self.session.run([*self.names, self.step])
        return [float(x) for x in (v, center, step, part[0, 0], part_center[0, 0])]


def elastic(
    period: int, rate: float | None, task: int = 0, workers: int = 1, **options: Any
) -> Any:
    def make(custom: Any) -> Any:
        optimizer = opt.ElasticAverageOptimizer(
            tf.train.GradientDescentOptimizer(1.0), workers, custom, period, rate, **options
        )
        return optimizer, lambda made: made.make_session_run_hook(task == 0, task), -1.0

    return make


def test_copies_and_centers_pull_each_other(tmp_path: Path) -> None:
    worker = Worker(elastic(2, 1.0), opt.ElasticAverageCustomGetter)
    with worker.graph.as_default():
        assert [v.op.name for v in tf.global_variables()] == [
            "global_step", f"{CENTER}/v", f"{CENTER}/p/part_0", f"{CENTER}/p/part_1"
        ]  # fmt: skip
    with worker.session as session:
        assert worker.values() == [0, 0, 0, 1, 1]
        worker.run()
        assert worker.values() == [1, 0, 0, 2, 1]
        worker.run()
        assert worker.values() == [0, 2, 1, 1, 3]
        worker.run()
        assert worker.values() == [1, 2, 1, 2, 3]
        path = worker.saver.save(session._tf_sess(), str(tmp_path / "model"))
    assert tf.train.load_variable(path, "v") == 2.0
    np.testing.assert_array_equal(tf.train.load_variable(path, "p"), np.full([2, 2], 3.0))


def test_the_distance_adds_to_the_loss() -> None:
    custom = opt.ElasticAverageCustomGetter(worker_device="/cpu:0")
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("", custom_getter=custom):
            v, w = (
                tf.get_variable("v", initializer=[3.0, 1.0]),
                tf.get_variable("w", initializer=1.0),
            )
            tf.get_variable("count", initializer=0, trainable=False)
        with tf.variable_scope("", custom_getter=custom, reuse=True):
            assert tf.get_variable("v") is v
        optimizer = opt.ElasticAverageOptimizer(tf.train.GradientDescentOptimizer(0.5), 3, custom)
        (pair,) = optimizer.compute_gradients(tf.reduce_sum(v) * w, [v])
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        sess.run(v.assign([5.0, 1.0]))
        rate = 0.9 / 10 / 3
        np.testing.assert_allclose(sess.run(pair[0]), [1.0 + rate / 0.5 * 2.0, 1.0], rtol=1e-6)


def test_without_copies_there_is_nothing_to_do() -> None:
    with tf.Graph().as_default():
        plain = tf.train.GradientDescentOptimizer(0.5)
        elastic_getter = opt.ElasticAverageCustomGetter("/cpu:0")
        optimizer = opt.ElasticAverageOptimizer(plain, 1, elastic_getter)
        with pytest.raises(ValueError, match="local_center_variables should not be empty"):
            optimizer.get_init_op(0)
        with pytest.raises(RuntimeError, match="global_center_variable is empty"):
            optimizer.swapping_saver()
    with tf.Graph().as_default():
        average = opt.ModelAverageOptimizer(
            plain, 1, True, opt.ModelAverageCustomGetter("/cpu:0"), 1
        )
        with pytest.raises(ValueError, match="Must supply at least one variable"):
            average.apply_gradients([])
        with pytest.raises(ValueError, match="Global step is required"):
            average.apply_gradients([(tf.constant(1.0), tf.Variable(1.0, trainable=False))])
        with pytest.raises(ValueError, match="The list of local_variables should not be empty"):
            average.get_init_op()


def test_copies_are_on_the_worker_and_centers_take_turns_on_servers() -> None:
    spec = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]}
    worker = "/job:worker/task:0"
    for kind in opt.ElasticAverageCustomGetter, opt.ModelAverageCustomGetter, opt.AGNCustomGetter:
        with tf.Graph().as_default():
            setter = tf.train.replica_device_setter(cluster=spec, worker_device=worker)
            with tf.device(setter), tf.variable_scope("", custom_getter=kind(worker)):
                copies = [tf.get_variable(name, initializer=[1, 2]) for name in "vw"]
                seen = tf.get_local_variable("x", initializer=[1, 2])
            assert [v.device for v in tf.global_variables()] == [
                f"/job:ps/task:{i}" for i in (0, 1)
            ]
            assert {v.device for v in [*copies, seen, *tf.local_variables()]} == {worker}
            assert copies == tf.trainable_variables()


def agn(period: int, task: int = 0) -> Any:
    def make(custom: Any) -> Any:
        adam = tf.train.AdamOptimizer(0.1, beta1=0.0, beta2=0.0)
        optimizer = opt.AGNOptimizer(adam, 2, custom, communication_period=period)
        return optimizer, lambda made: made.make_session_run_hook(task == 0, task), -1.0

    return make


def test_the_center_takes_one_step_by_the_mean_gradient() -> None:
    worker = Worker(agn(4), opt.AGNCustomGetter)
    with worker.graph.as_default():
        names = [v.op.name for v in tf.global_variables()]
        assert all(name.startswith(("global_step", CENTER)) for name in names)
        assert f"{CENTER}/v/Adam" in names
        assert "v/Adam" in [v.op.name for v in tf.local_variables()]
    with worker.session:
        worker.run(3)
        np.testing.assert_allclose(worker.values(), [0.3, 0.0, 0.0, 1.3, 1.0], rtol=1e-6)
        worker.run()
        np.testing.assert_allclose(worker.values(), [0.1, 0.1, 1.0, 1.1, 1.1], rtol=1e-6)
        worker.run(4)
        np.testing.assert_allclose(worker.values(), [0.2, 0.2, 2.0, 1.2, 1.2], rtol=1e-6)


def test_the_center_decays_in_its_step_alone() -> None:
    def make(custom: Any) -> Any:
        decaying = opt.MomentumWOptimizer(0.5, 0.1, 0.0)
        optimizer = opt.AGNOptimizer(decaying, 1, custom, communication_period=2)
        return optimizer, lambda made: made.make_session_run_hook(True, 0), 1.0

    worker = Worker(make, opt.AGNCustomGetter)
    with worker.session:
        for part, center, step in (0.4, 1.0, 0), (0.4, 0.4, 1), (0.1, 0.4, 1), (0.1, 0.1, 2):
            worker.run()
            np.testing.assert_allclose(worker.values()[2:], [step, part, center], rtol=1e-6)


# ---- two workers ---------------------------------------------------------------------------------


@pytest.fixture
def tasks() -> Iterator[list[Any]]:
    """A ps and two workers, all in this process."""
    pytest.importorskip("distributed")
    spec = free_addresses(ps=1, worker=2)
    servers = [tf.train.Server(spec, job, i) for job in spec for i in range(len(spec[job]))]
    yield servers
    for server in servers:
        server.stop()


def sent(tasks: list[Any]) -> int:
    """How many bytes went between tasks so far."""
    links = (link for task in tasks for link in task._server.tap.counters().values())
    return sum(link["bytes"] for link in links)


def together(*calls: Callable) -> list:
    """What calls return that wait for each other."""
    results: list = [None] * len(calls)

    def call(place: int) -> None:
        results[place] = calls[place]()

    threads = [threading.Thread(target=call, args=(i,), daemon=True) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    return results


def test_two_workers_with_one_center(tasks: list[Any]) -> None:
    def start(task: int) -> Worker:
        make = elastic(1, 0.5, task, workers=2, synchronous=True)
        return Worker(make, opt.ElasticAverageCustomGetter, tasks[1 + task].target, task)

    first, second = together(lambda: start(0), lambda: start(1))
    with first.session, second.session:
        first.run()
        assert first.values() == [0.5, 0.5, 1, 1.5, 1.5]
        second.run()
        assert second.values() == [0.75, 0.75, 2, 1.75, 1.75]
        assert first.values() == [0.5, 0.75, 2, 1.5, 1.75]


def test_two_workers_become_their_mean(tasks: list[Any]) -> None:
    def start(task: int) -> Worker:
        def make(custom: Any) -> Any:
            plain = tf.train.GradientDescentOptimizer(1.0)
            optimizer = opt.ModelAverageOptimizer(plain, 2, task == 0, custom, 2)
            return optimizer, lambda made: made.make_session_run_hook(), -1.0 - task

        return Worker(make, opt.ModelAverageCustomGetter, tasks[1 + task].target, task)

    first, second = start(0), start(1)
    with first.session, second.session:
        first.run()
        second.run()
        assert first.values() == [1, 0, 0, 2, 1]
        assert second.values() == [2, 0, 0, 3, 1]
        together(first.run, second.run)
        assert first.values() == second.values() == [3, 3, 1, 4, 4]
        first.run()
        assert first.values() == [4, 3, 1, 5, 4]
        second.run()
        together(first.run, second.run)
        assert first.values() == second.values() == [6, 6, 2, 7, 7]


def test_two_workers_step_one_center(tasks: list[Any]) -> None:
    first, second = (
        Worker(agn(1, task), opt.AGNCustomGetter, tasks[1 + task].target, task) for task in range(2)
    )
    with first.session, second.session:
        first.run()
        np.testing.assert_allclose(first.values(), [0.1, 0.1, 1, 1.1, 1.1], rtol=1e-6)
        second.run()
        np.testing.assert_allclose(second.values(), [0.2, 0.2, 2, 1.2, 1.2], rtol=1e-6)
        np.testing.assert_allclose(first.values(), [0.1, 0.2, 2, 1.1, 1.2], rtol=1e-6)


def test_between_meetings_nothing_large_travels(tasks: list[Any]) -> None:
    device = "/job:worker/task:0"
    for kind in "ElasticAverage", "ModelAverage", "AGN":
        getter = getattr(opt, f"{kind}CustomGetter")(device)
        with tf.Graph().as_default():
            setter = tf.train.replica_device_setter(1, worker_device=device)
            with tf.device(setter), tf.variable_scope(kind, custom_getter=getter):
                step = tf.train.get_or_create_global_step()
                v = tf.get_variable("v", [100_000], initializer=tf.zeros_initializer())
            with tf.device(device):
                plain = tf.train.GradientDescentOptimizer(1.0)
                chief, place = ((True,), ()) if kind == "ModelAverage" else ((), (True, 0))
                optimizer = getattr(opt, f"{kind}Optimizer")(plain, 1, *chief, getter, 3)
                train = optimizer.apply_gradients([(tf.ones([100_000]), v)], step)
            hook = optimizer.make_session_run_hook(*place)
            with tf.train.MonitoredTrainingSession(tasks[1].target, hooks=[hook]) as session:
                session.run(train)
                for large in False, True, False:
                    before = sent(tasks)
                    session.run(train)
                    assert (sent(tasks) - before > 400_000) == large, kind

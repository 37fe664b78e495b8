"""What sessions over several tasks share, and what they do not; what travels, and what is told."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.master import _clock_ahead
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire.call import Answer
from tests.graphs import graph as graph

from .conftest import eventually, free_addresses

Cluster = dict[str, list[Server]]


@pytest.fixture
def two_ps() -> Iterator[Cluster]:
    """Two ps and a worker, all in this process."""
    spec = free_addresses(ps=2, worker=1)
    tasks = {job: [Server(spec, job, i) for i in range(len(spec[job]))] for job in spec}
    yield tasks
    for servers in tasks.values():
        for server in servers:
            server.stop()


def config(**options: Any) -> tf.ConfigProto:
    """Of a session whose client speaks to its master by messages, as from another process."""
    by_message = tf.compat.v1.ConfigProto(**options)
    by_message.rpc_options.use_rpc_for_inprocess_master = True
    return by_message


def moved(cluster: Cluster) -> dict[str, int]:
    """How many bytes went between tasks, by 'source|destination'."""
    total: dict[str, int] = {}
    for server in (each for servers in cluster.values() for each in servers):
        for link, count in server._server.tap.counters().items():
            total[link] = total.get(link, 0) + count["bytes"]
    return total


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("name", ["GradientDescent", "Adagrad", "Adam"])
def test_only_the_rows_asked_for_travel(two_ps: Cluster, name: str, resource: bool) -> None:
    spec = two_ps["worker"][0]._spec
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(cluster=spec)):
            halves = tf.get_variable(
                "e", [100_000, 8], initializer=tf.zeros_initializer(), use_resource=resource,
                partitioner=tf.fixed_size_partitioner(2),
            )  # fmt: skip
            ids = tf.placeholder(tf.int64, [None])
            rows = tf.nn.embedding_lookup(halves, ids)
            optimizer = getattr(tf.train, f"{name}Optimizer")(0.5)
            train = optimizer.minimize(tf.reduce_sum(rows))
        assert [v.device for v in halves] == ["/job:ps/task:0", "/job:ps/task:1"]
        with tf.Session(two_ps["worker"][0].target) as sess:
            sess.run(tf.global_variables_initializer())
            for what in (rows, train):
                sess.run(what, {ids: [3, 99_999, 50_000, 7]})
                before = moved(two_ps)
                sess.run(what, {ids: [3, 99_999, 50_000, 7]})
                after = moved(two_ps)
                for link, count in after.items():
                    assert count - before[link] < 1500, link  # 4 rows of 32 bytes, names, headers
            changed = sess.run(rows, {ids: [3, 4, 99_999]})
    assert (changed[[0, 2]] < 0).all()
    assert (changed[1] == 0).all()


def test_an_isolated_session_leaves_nothing_behind(cluster: Cluster) -> None:
    with tf.device("/job:ps"):
        v = tf.get_variable("v", [], initializer=tf.ones_initializer())
    worker, ps = cluster["worker"][0], cluster["ps"][0]
    with tf.Session(worker.target, config=config(isolate_session_state=True)) as sess:
        sess.run(v.initializer)
        assert sess.run(v.assign_add(1.0)) == 2.0
        assert len(ps._worker._isolated) == 1
    assert ps._worker._isolated == {}
    assert ps._worker.resources.variables() == []


def test_a_reset_by_message_ends_the_masters_sessions(cluster: Cluster) -> None:
    with tf.container("a"), tf.device("/job:ps"):
        v = tf.get_variable("v", [], initializer=tf.ones_initializer())
    with tf.device("/job:ps"):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        taken = tf.FIFOQueue(1, tf.int32, shared_name="q").dequeue()
    target, other = (server.target for server in cluster["worker"])
    sess, beside = tf.Session(target), tf.Session(other)
    sess.run([v.initializer, w.initializer])
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            sess.run(taken)
        except tf.errors.CancelledError as error:
            ended.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert eventually(lambda: cluster["ps"][0]._worker._steps)
    tf.Session.reset(target, ["a"], config())
    waiting.join(timeout=10)
    assert "Session::Close" in str(ended[0])
    with pytest.raises(tf.errors.AbortedError):
        sess.run(w)
    assert beside.run(w) == 1.0
    with pytest.raises(tf.errors.FailedPreconditionError, match="From /job:ps/replica:0/task:0:"):
        beside.run(v)
    beside.close()


def test_a_reset_leaves_tasks_beside_the_filters_alone(two_ps: Cluster) -> None:
    made = []
    for task in range(2):
        with tf.device(f"/job:ps/task:{task}"):
            made.append(tf.get_variable(f"v{task}", [], initializer=tf.ones_initializer()))
    target = two_ps["worker"][0].target
    with tf.Session(target) as sess:
        sess.run([v.initializer for v in made])
    tf.Session.reset(target, config=config(device_filters=["/job:ps/task:1"]))
    with tf.Session(target) as sess:
        missing = sess.run(tf.report_uninitialized_variables())
    assert missing.tolist() == [b"v1"]


@pytest.mark.parametrize("by_message", [False, True])
def test_partition_graphs_and_times_come_from_all_tasks(cluster: Cluster, by_message: bool) -> None:
    with tf.device("/job:ps"):
        x = tf.random_uniform([2], name="x")
    with tf.device("/job:worker/task:0"):
        y = tf.square(x, name="y")
    told = tf.RunMetadata()
    wanted = tf.RunOptions(
        trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True, timeout_in_ms=20_000
    )
    with tf.Session(cluster["worker"][0].target, config=config() if by_message else None) as sess:
        sess.run(y, options=wanted, run_metadata=told)
    graphs = {
        graph.node[0].device: {node.op for node in graph.node} for graph in told.partition_graphs
    }
    assert {device.partition("/replica")[0] for device in graphs} == {"/job:ps", "/job:worker"}
    assert all("_Send" in ops or "_Recv" in ops for ops in graphs.values())
    assert len(told.step_stats.dev_stats) == 2


class _Told:
    """A channel to a task whose clock is wrong."""

    def __init__(self, ahead: float) -> None:
        self._ahead = ahead

    def call(self, method: str, timeout: float | None = None) -> Any:
        return Answer({"time": time.time() + self._ahead}, [])


def test_the_times_of_a_task_are_moved_to_the_masters_clock() -> None:
    assert _clock_ahead(_Told(0.0), None) == 0.0  # type: ignore[arg-type]
    ahead = _clock_ahead(_Told(100.0), None)  # type: ignore[arg-type]
    assert ahead == pytest.approx(100.0, abs=0.5)
    with tf.Graph().as_default(), tf.Session() as sess:
        here, there = tf.RunMetadata(), tf.RunMetadata()
        traced = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(tf.random_uniform([]), options=traced, run_metadata=there)
    start = there.step_stats.dev_stats[0].node_stats[0].all_start_micros
    here.add(there, 100.0)
    assert here.step_stats.dev_stats[0].node_stats[0].all_start_micros == start - 100_000_000


def test_each_ps_keeps_its_shard_and_a_new_one_reads_it(two_ps: Cluster, tmp_path: Path) -> None:
    spec = two_ps["worker"][0]._spec
    with tf.device(tf.train.replica_device_setter(cluster=spec)):
        made = [tf.get_variable(f"v{i}", initializer=np.full(3, i, np.float32)) for i in range(4)]
        saver = tf.train.Saver(sharded=True)
    target = two_ps["worker"][0].target
    with tf.Session(target) as sess:
        sess.run(tf.global_variables_initializer())
        path = saver.save(sess, str(tmp_path / "model"), global_step=3)
    shards = sorted(file.name for file in tmp_path.glob("model-3.data*"))
    assert shards == [f"model-3.data-0000{i}-of-00002" for i in range(2)]
    writers = {op.device for op in tf.get_default_graph().get_operations() if op.type == "SaveV2"}
    assert writers == {f"/job:ps/task:{i}/device:CPU:0" for i in range(2)}
    two_ps["ps"][1].stop()
    two_ps["ps"][1] = Server(spec, "ps", 1)
    with tf.Session(target) as sess:
        assert sess.run(tf.report_uninitialized_variables()).tolist() == [b"v1", b"v3"]
        saver.restore(sess, path)
        assert [value[0] for value in sess.run(made)] == [0, 1, 2, 3]


def test_the_others_go_on_without_the_backup_worker() -> None:
    """Three workers, two gradients a step: one worker dies, and training goes on."""
    spec = free_addresses(ps=1, worker=3)
    servers = {job: [Server(spec, job, i) for i in range(len(spec[job]))] for job in spec}
    steps: dict[int, int] = {}
    dead, ready, together = threading.Event(), threading.Event(), threading.Barrier(3)

    def work(task: int) -> None:
        chief = task == 0
        setter = tf.train.replica_device_setter(
            cluster=tf.train.ClusterSpec(spec), worker_device=f"/job:worker/task:{task}"
        )
        with tf.Graph().as_default(), tf.device(setter):
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
            step = tf.train.get_or_create_global_step()
            sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2, 3)
            train = sync.minimize(tf.square(w - 1.0), global_step=step)
            hooks = [sync.make_session_run_hook(chief), tf.train.StopAtStepHook(last_step=30)]
            target = servers["worker"][task].target
            assert chief or ready.wait(60)  # a worker that finds no variables looks again in 30 s
            try:
                with tf.train.MonitoredTrainingSession(
                    target, chief, hooks=hooks, stop_grace_period_secs=1
                ) as sess:
                    ready.set()
                    together.wait()
                    while not sess.should_stop():
                        _, steps[task] = sess.run([train, step])
                        if task == 2 and steps[task] >= 3:
                            raise SystemExit  # it dies without a word
            except SystemExit:
                dead.set()

    threads = [threading.Thread(target=work, args=(task,), daemon=True) for task in range(3)]
    for thread in threads:
        thread.start()
    assert dead.wait(60)
    servers["worker"][2].stop()
    threads[0].join(timeout=60)
    assert steps[0] >= 29  # what the step itself has seen
    for each in (*servers["ps"], *servers["worker"]):
        each.stop()
    threads[1].join(timeout=30)

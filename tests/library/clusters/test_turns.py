"""Clusters where no thread and no socket can be opened: the tasks take turns in one process."""

import socket
import time

import numpy as np
import pytest

import minitf as tf
from minitf.library import clusters
from minitf.library.clusters.turns import TasksHere

IMAGES = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
LABELS = IMAGES @ np.float32([[1.0], [-2.0], [3.0]])


@pytest.fixture(autouse=True)
def nothing_opens(no_threads, monkeypatch):
    def refuse(*_, **__):
        raise OSError("no sockets here")

    for name in ("socketpair", "create_server", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.fixture
def cluster():
    with TasksHere(ps=1, workers=2) as tasks:
        yield tasks


def worker(task, steps):
    """Trains asynchronously; returns the cost at the end, and the count after each step."""
    mine = slice(task.index, None, 2)
    setter = tf.train.replica_device_setter(cluster=task.cluster, worker_device=task.device)
    with tf.device(setter):
        x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
        weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
        cost = tf.losses.mean_squared_error(y, tf.matmul(x, weights))
        count = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(cost, count)
    missing, start = tf.report_uninitialized_variables(), tf.global_variables_initializer()
    feeds = {x: IMAGES[mine], y: LABELS[mine]}
    with tf.Session(task.target) as session:
        if task.index == 1:
            session.run(start)
        while len(session.run(missing)):  # worker 0 waits for worker 1
            time.sleep(0.01)
        counts = []
        for _ in range(steps):
            session.run(train, feeds)
            counts.append(int(session.run(count)))
        return session.run(cost, feeds), counts


def test_where_no_thread_can_start_a_cluster_says_what_it_is(capsys) -> None:
    assert clusters.start_local is TasksHere
    with clusters.start_local(ps=2, workers=3) as cluster:
        assert cluster.cluster_spec.num_tasks("worker") == 3
        assert repr(cluster).startswith("<TasksHere /job:ps/task:0, ")
        with tf.Session(cluster.target()) as session:
            assert len(session.list_devices()) == 5
    assert "the tasks of this cluster take turns in this one" in capsys.readouterr().out
    with pytest.raises(tf.errors.UnavailableError, match="This process has no task inproc://"):
        tf.Session(cluster.target())


def test_workers_train_asynchronously_although_the_first_waits_for_the_second(cluster) -> None:
    futures = cluster.run(worker, 40, wait=False)
    costs, counts = zip(*cluster.client.gather(futures))
    assert max(costs) < 1e-2
    assert sorted(sum(counts, [])) == list(range(1, 81))
    assert counts[1] == list(range(1, 41))  # it began while worker 0 slept
    assert cluster.gather(futures)[0][1] == counts[0]  # they run once


def test_two_workers_train_synchronously_in_one_graph(cluster) -> None:
    with tf.device("/job:ps/task:0"):
        weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
    gradients, feeds = [], {}
    for i in range(2):
        with tf.device(f"/job:worker/task:{i}"):
            x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
            cost = tf.losses.mean_squared_error(y, tf.matmul(x, weights))
            gradients += tf.gradients(cost, [weights])
            feeds |= {x: IMAGES[i::2], y: LABELS[i::2]}
    with tf.device("/job:ps/task:0"):
        train = weights.assign_sub(0.1 * tf.add_n(gradients)).op
    with tf.Session(cluster.target()) as session:
        session.run(weights.initializer)
        for _ in range(60):
            session.run(train, feeds)
        np.testing.assert_allclose(session.run(weights), [[1.0], [-2.0], [3.0]], atol=1e-2)
    with tf.Session(cluster.target("worker", 1)) as session:  # the variable is the task's
        np.testing.assert_allclose(session.run(weights), [[1.0], [-2.0], [3.0]], atol=1e-2)


def test_tensors_between_tasks_are_counted(cluster) -> None:
    looks = []
    cluster.between_turns.append(lambda: looks.append(cluster.traffic()))
    try:
        cluster.run(worker, 10)
    finally:
        cluster.between_turns.pop()
    time.sleep(0.25)
    snapshot = cluster.traffic()
    assert [task["alive"] for task in snapshot["tasks"]] == [True] * 3
    there = snapshot["counters"]["/job:ps/task:0|/job:worker/task:1"]["bytes"]
    back = snapshot["counters"]["/job:worker/task:1|/job:ps/task:0"]["bytes"]
    assert there >= 10 * 12 and back >= 10 * 12  # the weights of each step, and their gradient
    assert {event["kind"] for event in snapshot["events"]} == {"recv_tensor"}
    assert len(looks) > 20


def test_what_arrives_is_a_copy(cluster) -> None:
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(np.zeros(1 << 12, np.float32), name="v")
    with tf.device("/job:worker/task:0"):
        here = tf.identity(v)
        with tf.control_dependencies([here]):
            changed = v.assign_add(tf.ones([1 << 12]))
            with tf.control_dependencies([changed]):
                late = here + 1.0
    with tf.Session(cluster.target()) as session:
        session.run(v.initializer)
        assert session.run([late, changed.op])[0].max() == 1.0
        assert session.run(v).min() == 1.0


def test_a_deadlock_is_an_error_that_names_who_waits(cluster) -> None:
    def takes(task):
        with tf.device("/job:ps/task:0"):
            queue = tf.FIFOQueue(1, tf.int32, shared_name=f"of_{task.index}")
            taken = queue.dequeue(name=f"take_{task.index}")
        with tf.Session(task.target) as session:
            return session.run(taken)

    with pytest.raises(tf.errors.FailedPreconditionError, match=r"(?s)for ever.*\[\[node take_0"):
        cluster.run(takes)


def test_queues_without_a_shared_name_belong_to_a_session(cluster) -> None:
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(2, tf.int32, [[]])
        put, size = queue.enqueue(1), queue.size()
    with tf.Session(cluster.target()) as one, tf.Session(cluster.target()) as other:
        one.run(put)
        assert (one.run(size), other.run(size)) == (1, 0)


def test_servers_at_ports_are_tasks_of_this_process() -> None:
    spec = tf.train.ClusterSpec({"pair": [tf.cluster.free_address() for _ in range(2)]})
    servers = [tf.train.Server(spec, "pair", i) for i in range(2)]
    with tf.device("/job:pair/task:1"):
        kept = tf.Variable(1.0, name="kept")
    with tf.Session(servers[0].target) as session:
        session.run(kept.initializer)
        session.run(kept.assign_add(41.0))
    with tf.Session(servers[1].target) as session:
        assert session.run(kept) == 42.0
    for server in servers:
        server.stop()


def test_a_view_looks_between_the_steps(cluster) -> None:
    view = pytest.importorskip("minitf_widgets").TrafficView(cluster)
    assert [task["task"] for task in view.tasks][0] == "/job:ps/task:0" and not view.counters
    for _ in range(2):
        cluster.run(worker, 5)
        time.sleep(0.25)  # it looks five times a second at most
    assert view.status == "live" and view.counters
    view.stop()
    assert view.status == "stopped"

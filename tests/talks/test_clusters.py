"""Clusters: the code on the slides, with the tasks in this process.

From "Distributed training" (M. Hyttsten), "Distributed TensorFlow and cloud" (G. Ivashkevych), "Distributed TensorFlow" (Stony Brook, CSE
545) and "GPU & distributed computing with Tensorflow" (D. Parks).
"""

# The slides' code keeps the form it has on the slides.
# fmt: off
# ruff: noqa: E702, E741, F841, UP031

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.cluster_spec import free_address


@pytest.fixture
def servers() -> Iterator[list[Any]]:
    """Where a program notes its servers; each has a GPU, a simulated one where there is none."""
    started: list[Any] = []
    tf.simulate_gpus(1)
    yield started
    tf.simulate_gpus(0)
    for server in started:
        server.stop()


def test_a_server_and_its_client(servers: list[Any]) -> None:
    server_addr = free_address()

    cluster = tf.train.ClusterSpec({"ps":[], "worker":[server_addr]})
    server = tf.train.Server(cluster, job_name='worker', task_index=0)

    servers.append(server)
    a = tf.constant(6); b = tf.constant(7)

    with tf.Session("grpc://" + server_addr) as sess:
        result = sess.run(a * b)

    assert result == 42
    assert server.target == "grpc://" + server_addr


def test_the_program_of_every_task(servers: list[Any]) -> None:
    ps_addr_0, ps_addr_1, server_addr = free_address(), free_address(), free_address()
    results = {}

    def program(FLAGS: Any) -> None:
        ps = [ps_addr_0, ps_addr_1] # parameter servers
        workers = [server_addr] # worker servers
        cluster = tf.train.ClusterSpec({"ps":ps, "worker":workers})
        server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_idx)
        servers.append(server)

        if FLAGS.job_name == "ps":
            server.join()
        elif FLAGS.job_name == "worker":
            with tf.Graph().as_default():
                with tf.device("/job:ps/task:0/cpu:0"):
                    x = tf.placeholder(tf.float32, [2])
                    y = x * 2.0
                with tf.Session(server.target) as sess:
                    results["pinned"] = (y.device, sess.run(y, feed_dict={x: [1, 2]}).tolist())

            with tf.Graph().as_default():
                this_worker = "/job:worker/task:%d" % FLAGS.task_idx
                with tf.device(tf.train.replica_device_setter(cluster=cluster,worker_device=this_worker)):
                    x = tf.placeholder(tf.float32, [None, 2])
                    W = tf.Variable(tf.ones([2, 1]))
                    b = tf.Variable(tf.zeros([1]))
                    y = tf.matmul(x, W) + b
                with tf.Session(server.target) as sess:
                    sess.run(tf.global_variables_initializer())
                    results["better"] = (W.device, b.device, y.device)
                    results["y"] = sess.run(y, feed_dict={x: [[1, 2], [3, 4]]}).tolist()

    tasks = [SimpleNamespace(job_name="ps", task_idx=i) for i in (0, 1)]
    threads = [threading.Thread(target=program, args=(flags,), daemon=True) for flags in tasks]
    for thread in threads:
        thread.start()
    program(SimpleNamespace(job_name="worker", task_idx=0))
    assert results == {
        "pinned": ("/job:ps/task:0/device:CPU:0", [2, 4]),
        "better": ("/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:0"),
        "y": [[3], [7]],
    }
    for server in servers:
        server.stop()
    for thread in threads:
        thread.join(timeout=5)
        assert not thread.is_alive()


def _cluster_of(servers: list[Any], workers: int) -> Any:
    addresses = {"worker": [free_address() for _ in range(workers)], "ps": [free_address()]}
    cluster = tf.train.ClusterSpec(addresses)
    for job in cluster.jobs:
        for i in cluster.task_indices(job):
            servers.append(tf.train.Server(cluster, job_name=job, task_index=i))
    return cluster


def test_multiple_servers(servers: list[Any]) -> None:
    _cluster_of(servers, 1)
    input = np.ones((3, 2), np.float32)

    with tf.device('/job:ps/task:0/cpu:0'):
        W = tf.Variable([[1.0], [2.0]])
        B = tf.Variable([0.5])

    with tf.device('/job:worker/task:0/gpu:0'):
        output = tf.matmul(input, W) + B
        loss = tf.reduce_sum(output)

    with tf.Session(servers[0].target) as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(loss) == 10.5


def test_in_graph_replication(servers: list[Any]) -> None:
    num_workers = 2
    _cluster_of(servers, num_workers)
    input = tf.placeholder(tf.float32, [4, 2])

    with tf.device('/job:ps/task:0/cpu:0'):
        W = tf.Variable([[1.0], [2.0]])
        b = tf.Variable([0.5])

    inputs = tf.split(0, num_workers, input)
    outputs = []

    for i in range(num_workers):
        with tf.device('/job:worker/task:%d/gpu:0' % i):
            outputs.append(tf.matmul(inputs[i], W) + b)
    loss = tf.add_n([tf.reduce_sum(output) for output in outputs])

    with tf.Session(servers[0].target) as sess:
        sess.run(tf.global_variables_initializer())
        values = sess.run(outputs, {input: np.arange(8).reshape(4, 2)})
        assert sess.run(loss, {input: np.arange(8).reshape(4, 2)}) == sum(v.sum() for v in values)
        assert np.concatenate(values).ravel().tolist() == [2.5, 8.5, 14.5, 20.5]


def test_between_graph_replication(servers: list[Any]) -> None:
    """Each worker has a client and a graph of its own; the variables are the same."""
    _cluster_of(servers, 2)
    losses = []
    for task in range(2):
        with tf.Graph().as_default():
            with tf.device('/job:ps/task:0/cpu:0'):
                W = tf.Variable([[1.0], [2.0]], name="W")
                b = tf.Variable([0.5], name="b")

            with tf.device('/job:worker/task:%d/gpu:0' % task):
                output = tf.matmul(tf.ones([3, 2]), W) + b
                loss = tf.reduce_sum(output)
            train_op = W.assign_sub([[1.0], [0.0]])

            with tf.Session(servers[task].target) as sess:
                if task == 0:
                    sess.run(tf.global_variables_initializer())
                losses.append(float(sess.run(loss)))
                sess.run(train_op)
    assert losses == [10.5, 7.5]


def test_creating_a_cluster_and_its_parameter_server(servers: list[Any]) -> None:
    worker_0, ps_0 = free_address(), free_address()

    # Distributed code for a worker task.
    cluster = tf.train.ClusterSpec({"worker": [worker_0],
                                   "ps": [ps_0]})

    server = tf.train.Server(cluster, job_name="worker", task_index=0)

    servers.append(server)
    with tf.Session(server.target) as sess:
        assert sess.run(tf.constant("hello")) == b"hello"

    # Distributed code for a PS task.
    server = tf.train.Server(cluster, job_name="ps", task_index=0)

    # Wait for incoming connections forever.
    waiting = threading.Thread(target=server.join)
    waiting.start()
    waiting.join(timeout=0.2)
    assert waiting.is_alive()
    server.stop()
    waiting.join(timeout=5)
    assert not waiting.is_alive()


def test_a_parameter_server_started_by_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slide's TF_CONFIG, but for the comment in it, which JSON does not have."""
    monkeypatch.setenv("TF_CONFIG", '''{
"cluster": { "chief": ["host1:2222"], "worker": ["host1:2222", "host2:2222", "host3:2222"], "ps": ["host4:2222", "host5:2222"] },
"task": {"type": "ps", "index": 0} } ''')
    config = tf.estimator.RunConfig()
    assert (config.task_type, config.task_id, config.master) == ("ps", 0, "grpc://host4:2222")
    assert (config.num_ps_replicas, config.num_worker_replicas, config.is_chief) == (2, 4, False)
    assert config.cluster_spec.job_tasks("worker") == ["host1:2222", "host2:2222", "host3:2222"]
    assert config.session_config.device_filters == [
        "/job:ps", "/job:worker", "/job:chief", "/job:master"
    ]

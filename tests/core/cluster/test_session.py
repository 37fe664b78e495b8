"""Sessions at a server's address: placed over all tasks, cut between them, run together."""

import threading
import time
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.remote_session import CLIENT, MasterStub
from minitf.core.cluster.service.server import Server

from .conftest import eventually

PS, W0, W1 = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"


Cluster = dict[str, list[Server]]


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


@pytest.fixture(params=["direct", "by message"])
def session(request: pytest.FixtureRequest, cluster: Cluster, monkeypatch: Any) -> Any:
    """A session at worker 0, by a direct call and as another process would have it."""
    if request.param == "by message":
        monkeypatch.setattr(
            "minitf.core.cluster.service.remote_session.server_in_this_process",
            lambda address: None,
        )
    with tf.Session(cluster["worker"][0].target) as session:
        assert isinstance(session._backend._master, MasterStub) == (request.param == "by message")
        yield session


def test_a_graph_over_three_tasks(session: Any) -> None:
    with tf.device(PS):
        w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.device(W0):
        x = tf.placeholder(tf.float32, [None, 2])
        y = tf.matmul(x, w)
    with tf.device(W1):
        z = y + 1.0
    with tf.device(PS):
        total = tf.reduce_sum(z)
    session.run(tf.global_variables_initializer())
    fed = np.array([[1, 1], [2, 0]], np.float32)
    for _ in range(3):
        got = session.run({"y": y, "z": [z, total], "w": w}, {x: fed})
        np.testing.assert_array_equal(got["y"], [[4, 6], [2, 4]])
        np.testing.assert_array_equal(got["z"][0], [[5, 7], [3, 5]])
        assert got["z"][1] == 20
        assert type(got["z"][1]) is np.float32
    assert session.run(tf.no_op()) is None


def test_feeds_that_the_step_does_not_read_stay_with_the_client(session: Any) -> None:
    unused = tf.placeholder(tf.float32)
    a, b = tf.placeholder(tf.float32, name="a"), tf.placeholder(tf.float32, name="b")
    with tf.device(PS):
        c = a - b
    assert session.run(c, {unused: np.ones(10), b: 2, a: 5}) == 3
    assert session.run([c, a], {a: 1, b: 2}) == [-1, 1]


def test_a_failure_names_the_operation_and_leaves_the_session_usable(session: Any) -> None:
    with tf.device(W1):
        x = tf.placeholder(tf.float32, name="x")
        bad = tf.matmul(x, tf.ones([3, 3]), name="bad")
    with tf.device(PS):
        after = bad + 1.0
    with tf.device(W0):
        last = after * 2.0
    for _ in range(3):
        start = time.monotonic()
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run([last, after], {x: np.ones((2, 2))})
        assert time.monotonic() - start < 2
        assert caught.value.op is bad.op
        assert "[[node bad (defined at " in caught.value.message
    np.testing.assert_array_equal(
        session.run(last, {x: np.ones((1, 3))}), np.full((1, 3), 8, np.float32)
    )


def test_control_dependencies_cross_tasks(session: Any) -> None:
    with tf.device(PS):
        v = tf.Variable(0.0)
        add = v.assign_add(1.0)
    with tf.device(W1), tf.control_dependencies([add]):
        one = tf.constant(1.0) + 0.0
    session.run(v.initializer)
    for i in range(1, 4):
        session.run(one)
        assert session.run(v) == i


def test_eight_threads_share_a_session(session: Any) -> None:
    x = tf.placeholder(tf.float32, [])
    with tf.device(PS):
        y = x * 2.0
    with tf.device(W1):
        z = y + 1.0
    failures = []

    def work(n: int) -> None:
        for i in range(25):
            if session.run(z, {x: n * 100 + i}) != (n * 100 + i) * 2 + 1:
                failures.append((n, i))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_explain_shows_the_programs_of_all_tasks(session: Any) -> None:
    with tf.device(PS):
        a = tf.placeholder_with_default(3.0, [], name="a") * 2.0
    with tf.device(W1):
        b = tf.add(a, 1.0, name="b")
    text = session.explain(b)
    assert "# /job:ps/replica:0/task:0/device:CPU:0" in text
    assert "# /job:worker/replica:0/task:1/device:CPU:0" in text
    assert "rendezvous.recv_many" in text


def test_every_message_is_recorded(cluster: Cluster) -> None:
    with tf.device(PS):
        v = tf.Variable(np.zeros((100, 10), np.float32), name="v")
    with tf.device(W0):
        y = v + 1.0
    with tf.device(PS):
        update = v.assign(y)
    with tf.Session(cluster["worker"][0].target) as session:
        session.run(v.initializer)
        cursors = {s: s._server.tap.drain()[0] for tasks in cluster.values() for s in tasks}
        session.run(update.op)
        events = [e for s, c in cursors.items() for e in s._server.tap.drain(c)[1]]
    moved = {(e.kind, e.source, e.destination, e.tensor) for e in events}
    assert ("recv_tensor", PS, W0, "v/read:0") in moved
    assert ("recv_tensor", W0, PS, f"{y.name}") in moved
    assert {("run_graph", W0, PS), ("run_graph", PS, W0)} <= {m[:3] for m in moved}
    assert len({event.step for event in events if event.kind != "register_graph"}) == 1
    for event in events:
        assert event.end >= event.start > 1.6e9
        if event.kind == "recv_tensor":
            assert 4000 < event.bytes < 4200


def test_clients_messages_are_recorded(cluster: Cluster, monkeypatch: Any) -> None:
    monkeypatch.setattr(
        "minitf.core.cluster.service.remote_session.server_in_this_process", lambda address: None
    )
    x = tf.placeholder(tf.float32, [None])
    with tf.Session(cluster["worker"][0].target) as session:
        session.run(x + 1.0, {x: np.ones(1000)})
    counters = cluster["worker"][0]._server.tap.counters()
    assert counters[f"{CLIENT}|{W0}"]["bytes"] > 4000
    assert counters[f"{W0}|{CLIENT}"]["bytes"] > 4000


def test_reading_a_ps_variable_is_one_round_trip(cluster: Cluster) -> None:
    with tf.device(PS):
        v = tf.Variable(5.0)
    with tf.Session(cluster["worker"][0].target) as session:
        session.run(v.initializer)
        session.run(v)
        tap = cluster["worker"][0]._server.tap
        before = tap.counters()
        assert session.run(v) == 5
        after = tap.counters()
    for edge in (f"{W0}|{PS}", f"{PS}|{W0}"):
        assert after[edge]["messages"] - before[edge]["messages"] == 1


def test_steps_leave_nothing_behind(cluster: Cluster) -> None:
    with tf.device(PS):
        v = tf.Variable(np.zeros(10, np.float32))
    with tf.device(W1):
        y = v + 1.0
    with tf.Session(cluster["worker"][0].target) as session:
        session.run(v.initializer)
        for _ in range(50):
            session.run(y)
        for tasks in cluster.values():
            for server in tasks:
                assert not server._worker._steps
    for tasks in cluster.values():
        for server in tasks:
            assert not server._worker._graphs


def test_failed_steps_leave_nothing_behind(session: Any, cluster: Cluster) -> None:
    """The ps has run its part, and the worker that should have fetched its tensor fails before."""
    with tf.device(PS):
        v = tf.Variable(np.zeros(10, np.float32))
    with tf.device(W1), tf.control_dependencies([tf.Assert(tf.constant(False), ["no"])]):
        y = v + 1.0
    session.run(v.initializer)
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
            session.run(y)
    for tasks in cluster.values():
        for server in tasks:
            assert eventually(lambda server=server: not server._worker._steps)


def test_large_tensors_cross_both_ways_at_once(session: Any) -> None:
    """Both tasks send before they receive, and more than their sockets hold."""
    size = 3_000_000
    with tf.device(PS):
        a = tf.fill([size], tf.placeholder_with_default(1.0, []))
    with tf.device(W0):
        b = tf.fill([size], tf.placeholder_with_default(2.0, []))
    with tf.device(PS):
        on_ps = tf.reduce_sum(tf.identity(b) + a)
    with tf.device(W0):
        on_worker = tf.reduce_sum(tf.identity(a) - b)
    for _ in range(3):
        assert session.run([on_ps, on_worker]) == [3 * size, -size]


def test_tensors_go_back_and_forth_in_one_step(session: Any) -> None:
    value = tf.placeholder(tf.float32, [])
    x = value
    for i in range(12):
        with tf.device((PS, W0, W1)[i % 3] if i % 2 else W0):
            x = x * 2.0 + 1.0
    expected = 5.0
    for _ in range(12):
        expected = expected * 2 + 1
    assert session.run(x, {value: 5.0}) == expected


def test_a_loop_trains_a_variable_of_the_ps(cluster) -> None:
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.Variable([[0.5, 0.1], [0.2, 0.4]], name="w")
            count = tf.Variable(0, name="count")
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [None, None])
            h = tf.while_loop(
                lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, x]
            )[1]
            (gradient,) = tf.gradients(h, w)

        def body(i):
            with tf.control_dependencies([tf.assign_add(count, 2)]):
                return i + 1

        counted = tf.while_loop(lambda i: i < 4, body, [0])
        sign = tf.cond(tf.reduce_sum(h) > 0, lambda: tf.constant(1), lambda: tf.constant(-1))
        init = tf.global_variables_initializer()
        data = np.array([[1.0, 2.0]], np.float32)
        with tf.Session(cluster["worker"][0].target) as session:
            session.run(init)
            found = session.run([h, gradient, sign], {x: data})
            assert session.run(counted) == 4
            assert session.run(count) == 8
            assert "while rendezvous.alive:" in session.explain(h, [x])
            with pytest.raises(tf.errors.InvalidArgumentError, match="while/MatMul"):
                session.run(h, {x: np.ones((1, 3))})
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.constant([[0.5, 0.1], [0.2, 0.4]])
        h = tf.constant(data)
        for _ in range(3):
            h = tf.tanh(tf.matmul(h, w))
        wanted = session.run([h, *tf.gradients(h, w)])
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-5)
    assert found[2] == 1

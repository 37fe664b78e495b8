"""The tap counts every message, keeps the last ones, and costs next to nothing."""

import threading
import time
from collections.abc import Iterator

import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire.traffic import POLL, TrafficEvent, TrafficTap

PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"


def _fill(tap: TrafficTap, count: int, nbytes: int = 10) -> None:
    for step in range(count):
        tap.record(step, "W:0", "recv_tensor", PS, WORKER, nbytes, step, step + 0.5)


def test_counters_are_exact_after_the_ring_is_full() -> None:
    tap = TrafficTap(capacity=16)
    threads = [threading.Thread(target=_fill, args=(tap, 2000)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tap.counters() == {f"{PS}|{WORKER}": {"messages": 8000, "bytes": 80000}}
    assert len(tap.drain(0)[1]) == 16


def test_drain_returns_each_event_once() -> None:
    tap = TrafficTap()
    _fill(tap, 3)
    cursor, events = tap.drain(0)
    assert [event.step for event in events] == [0, 1, 2]
    assert events[0] == TrafficEvent(0, "W:0", "recv_tensor", PS, WORKER, 10, 0, 0.5)
    _fill(tap, 2)
    cursor, events = tap.drain(cursor)
    assert [event.step for event in events] == [0, 1]
    assert tap.drain(cursor) == (cursor, [])


def test_a_sample_is_spread_over_all_events() -> None:
    tap = TrafficTap()
    _fill(tap, 1000)
    steps = [event.step for event in tap.drain(0)[1]]
    assert len(steps) == 200
    assert steps[0] == 0
    assert steps[-1] >= 990


def test_who_asks_for_variables_waits_and_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "time", lambda: now)
    tap = TrafficTap()
    for now in (100.0, 101.0, 102.5):
        tap.record(3, f"{POLL}/stack:0", "recv_tensor", PS, WORKER, 40, now - 0.1)
    assert tap.counters() == {} and tap.drain(0) == (0, [])
    (wait,) = tap.asks()
    assert wait == {"step": "0", "node": "", "type": POLL, "of": "", "seconds": 2.5}
    now = 110.0
    assert tap.asks() == []
    tap.record(4, f"{POLL}/stack:0", "recv_tensor", PS, WORKER, 40, now)
    assert tap.asks()[0]["seconds"] == 0.0, "it waits anew"


@pytest.fixture
def worker() -> Iterator[Server]:
    spec = {"ps": ["inproc://polled"], "worker": ["inproc://polls"]}
    servers = [Server(spec, job, 0) for job in spec]
    yield servers[1]
    for server in servers:
        server.stop()


def test_a_step_that_asks_for_variables_leaves_no_message(worker: Server) -> None:
    tap = worker._server.tap
    with tf.Graph().as_default(), tf.Session(worker.target) as session:
        with tf.device("/job:ps/task:0"):
            w = tf.Variable([1.0, 2.0])
        ready = tf.report_uninitialized_variables()
        session.run(ready)
        before = tap.counters()  # the graph has been registered
        assert [len(session.run(ready)) for _ in range(3)] == [1] * 3
        assert tap.counters() == before
        assert tap.asks()[0]["type"] == POLL
        session.run(w.initializer)
        assert tap.counters() != before

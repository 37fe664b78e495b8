"""The tap counts every message, keeps the last ones, and costs next to nothing."""

import threading

from minitf.core.cluster.wire.traffic import TrafficEvent, TrafficTap

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

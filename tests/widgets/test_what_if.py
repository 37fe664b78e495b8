"""Recorded steps timed anew: worked out by hand, and beside runs that are really slow."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("anywidget")

from minitf_widgets import WhatIf  # noqa: E402
from minitf_widgets.live.what_if import placed, read_messages, retime, spread  # noqa: E402

import minitf as tf  # noqa: E402

PS, WORKERS = "/job:ps/task:0", [f"/job:worker/task:{index}" for index in range(3)]
FIELDS = ("step", "tensor", "kind", "source", "destination", "bytes", "start", "end")
FAST = tf.cluster.Hardware("fast", bandwidth=1e9, latency=1e-4)
SIZE = 100_000  # bytes: 0.1 ms of the fast network
#: The steps of one worker: who sends (S the server), how many bytes, and the seconds before it.
ROUND = (("W", 0, 0.001), ("S", SIZE, 0.002), ("W", SIZE, 0.010), ("S", 0, 0.003))
STEP = 0.016 + 4 * 1e-4 + 2 * 1e-4


def recorded(count: int, worker: str = WORKERS[0], start: float = 0.0) -> list[Any]:
    """The messages of `count` steps, as a recording has them: a request when it leaves."""
    events, now = [], start
    for step in range(1, count + 1):
        began = now
        for place, (who, nbytes, work) in enumerate(ROUND):
            source, target = (worker, PS) if who == "W" else (PS, worker)
            kind = "recv_tensor" if nbytes else "run_graph"
            carried = FAST.latency + nbytes / FAST.bandwidth
            now += work + carried
            end = now - carried * (place == 0)
            event = (step, "t", kind, source, target, nbytes, began, end)
            events.append(SimpleNamespace(**dict(zip(FIELDS, event, strict=True))))
    return events


def seconds(messages: Any, worker: str = WORKERS[0]) -> float:
    """Seconds a step of a worker."""
    own = [message for message in messages if message.step[0] == worker]
    return (own[-1].end - own[0].begin) / len({message.step for message in own})


def test_work_and_waits_are_found_in_what_arrived_when() -> None:
    messages = read_messages(recorded(3), FAST)
    assert len(messages) == 12
    works = [message.sent - message.begin for message in messages]
    assert works == pytest.approx(3 * [0.001, 0.002, 0.010, 0.003])
    assert [m.after for m in messages[:6]] == [(), (0,), (1,), (0, 2), (1, 3), (4,)]
    assert seconds(messages) == pytest.approx(STEP)


def network(**changes: float) -> tf.cluster.Hardware:
    return tf.cluster.Hardware("slow", **{"bandwidth": 1e9, "latency": 1e-4, **changes})


@pytest.mark.parametrize(
    ("hardware", "slower", "more"),
    [
        (FAST, {}, 0.0),
        (network(latency=5.1e-3), {}, 4 * 0.005),
        (network(bandwidth=1e7), {}, 2 * (0.01 - 0.0001)),
        (FAST, {WORKERS[0]: 3.0}, 2 * 0.011),
        (FAST, {WORKERS[1]: 3.0}, 0.0),
        (FAST, {PS: 2.0}, 0.005),
    ],
)
def test_the_same_work_is_done_at_other_times(hardware: Any, slower: Any, more: float) -> None:
    made = retime(read_messages(recorded(5), FAST), hardware, slower)
    assert seconds(made) == pytest.approx(STEP + more)


def test_workers_share_the_link_of_a_server() -> None:
    each = (recorded(20, worker, start=0.001 * place) for place, worker in enumerate(WORKERS))
    messages = read_messages([event for events in each for event in events], FAST)
    assert {m.step[0] for m in messages} == set(WORKERS)
    assert seconds(retime(messages, FAST, {})) == pytest.approx(STEP, rel=0.02)
    slow = network(bandwidth=1e6)  # each of two messages takes 0.1 s, and the server has three such
    for worker in WORKERS:
        assert seconds(retime(messages, slow, {}), worker) == pytest.approx(0.3, rel=0.1)
    two = spread(messages, [0.5, 0.5])
    assert len(two) == 2 * len(messages)
    for worker in WORKERS:  # now its own link is the narrowest
        assert seconds(retime(two, slow, {}), worker) == pytest.approx(0.2 + STEP, rel=0.1)
    other = spread(messages, [0.0, 1.0])
    assert {m.receiver for m in other} == {*WORKERS, "/job:ps/task:1"}
    assert seconds(retime(other, slow, {})) == seconds(retime(messages, slow, {}))


def test_one_more_server_helps_once_the_largest_table_is_cut() -> None:
    assert placed([90.0, 10.0], 1, 1) == [1.0]
    assert placed([90.0, 10.0], 2, 1) == [0.9, 0.1]
    assert placed([90.0, 10.0], 2, 2) == [0.55, 0.45]
    assert placed([1.0], 3, 2) == [0.5, 0.5, 0.0]
    assert sum(placed([5.0, 4.0, 3.0, 2.0], 3, 4)) == pytest.approx(1.0)


def test_a_step_with_a_missing_message_is_left_out() -> None:
    events = recorded(4)
    events.remove(events[7])  # the reply of the second step
    events.append(SimpleNamespace(**{**vars(events[0]), "step": 0, "kind": "ping"}))
    events.append(SimpleNamespace(**{**vars(events[0]), "kind": "run_step", "source": "client"}))
    assert [m.step[1] for m in read_messages(events, FAST)] == [1] * 4 + [3] * 4 + [4] * 4


def test_only_the_time_in_which_all_workers_are_at_work_and_warm_counts() -> None:
    events = [*recorded(10), *recorded(10, WORKERS[1], start=4.5 * STEP)]
    steps = dict.fromkeys(m.step for m in read_messages(events, FAST))
    assert [number for worker, number in steps if worker == WORKERS[0]] == [8, 9, 10]
    assert [number for worker, number in steps if worker == WORKERS[1]] == [3, 4, 5]


MODEL = tf.cluster.CostModel(FAST, [tf.cluster.Point("training", 0.010, bytes=8e6)])


@pytest.fixture
def view() -> WhatIf:
    each = (recorded(20, worker, start=0.004 * place) for place, worker in enumerate(WORKERS))
    events = [event for events in each for event in events]
    return WhatIf(SimpleNamespace(events=events), MODEL, [90.0, 10.0])


def test_the_view_says_that_it_simulates_and_how_wrong_it_is(view: WhatIf) -> None:
    assert view.recorded == pytest.approx(dict.fromkeys(("worker 0", "worker 1", "worker 2"), STEP))
    assert view.simulated == pytest.approx(view.recorded, rel=0.02)
    assert view.error < 0.02
    assert f"Error while no slider has moved: {view.error:.1%}." in view.to_text()
    assert "on 1 others it is off by 20%" in view.to_text()  # of the cost model
    drawn = "".join(ElementTree.fromstring(view.to_svg()).itertext())
    for lane in ("ps 0, recorded", "worker 2, recorded", "ps 0, simulated", "worker 2, simulated"):
        assert lane in drawn
    assert "ps 1, simulated" not in drawn


def test_sliders_time_the_steps_anew(view: WhatIf) -> None:
    still = view.simulated
    view.set(latency=10)
    assert view.simulated["worker 0"] == pytest.approx(still["worker 0"] + 0.04, rel=0.02)
    view.set(latency=0, slow=5)
    assert view.simulated["worker 0"] == pytest.approx(still["worker 0"], rel=0.02)
    assert view.simulated["worker 2"] == pytest.approx(still["worker 2"] + 4 * 0.011, rel=0.02)
    view.set(slow=1, network=0.01)  # Gbit/s: 80 ms for the bytes of a message
    slow = view.simulated["worker 0"]
    view.set(servers=2)
    assert 0.85 * slow < view.simulated["worker 0"] < slow
    view.set(pieces=2)
    assert view.simulated["worker 0"] < 0.85 * slow
    assert "ps 1, simulated" in view.to_svg() and "ps 1, recorded" not in view.to_svg()
    assert len(re.findall(r"[\d.]+ ms \(worker 2\)", view.to_text())) == 2
    view.set(servers=1, pieces=1, network=8.0)
    assert view.simulated == still


def test_the_page_gets_bars_that_follow_its_theme(view: WhatIf) -> None:
    sent: list[Any] = []
    view.send = lambda content, buffers=None: sent.append(content)  # type: ignore[method-assign]
    view._on_message(None, {"type": "values", "values": {"latency": 3}, "number": 1}, [])
    picture = next(each["picture"] for each in sent if "picture" in each)
    assert picture["href"] == "" and "--c:" in picture["drawn"]
    assert "simulated" in picture["drawn"]


def test_a_recording_without_steps_is_an_error() -> None:
    with pytest.raises(ValueError, match="no whole step"):
        WhatIf(SimpleNamespace(events=recorded(3)[1:3]), MODEL)


def training() -> Any:
    """A function that Dask ships by value: a worker's training, and its seconds a step."""

    def train(task: Any, steps: int, *slept: float) -> float:
        import time

        import numpy as np

        import minitf as tf

        place = tf.train.replica_device_setter(cluster=task.cluster, worker_device=task.device)
        with tf.Graph().as_default(), tf.device(place):
            x = tf.placeholder(tf.float32, [64, 784])
            weights = tf.get_variable("weights", [784, 128], initializer=tf.zeros_initializer())
            loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - 1.0))
            step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
            ready = tf.report_uninitialized_variables()
            feeds = {x: np.ones((64, 784), np.float32)}
            with tf.Session(task.target) as session:
                if task.index == 0:
                    session.run(tf.global_variables_initializer())
                while len(session.run(ready)):
                    time.sleep(0.01)
                times = []
                for _ in range(steps):
                    begin = time.perf_counter()
                    time.sleep(slept[task.index])
                    session.run(step, feeds)
                    times.append(time.perf_counter() - begin)
        return float(np.median(times[steps // 3 :]))

    return train


@pytest.mark.slow
def test_runs_that_are_really_slow_take_as_long_as_the_simulation_says(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    faults, path = tf.cluster.faults, str(tmp_path / "run.jsonl.gz")
    with tf.cluster.start_local(ps=1, workers=2) as cluster:
        model = tf.cluster.CostModel.fit(tf.cluster.measure(cluster, 0.05), check="training")
        with tf.cluster.record(cluster, path):
            cluster.run(training(), 25, 0.100, 0.100)
        victims = faults.tasks(cluster)
        faults.slow(victims[PS], latency=0.020)
        late = cluster.run(training(), 12, 0.100, 0.100)
        faults.slow(victims[PS])
        tired = cluster.run(training(), 12, 0.100, 0.200)
    view = WhatIf(tf.cluster.Recording.load(path), model)
    assert view.error < 0.05  # nothing has changed: the true times
    view.set(latency=20)
    assert late == pytest.approx([*view.simulated.values()], rel=0.3)
    view.set(latency=0, slow=2)  # its work is hardly more than its sleep
    assert tired[1] == pytest.approx(view.simulated["worker 1"], rel=0.3)

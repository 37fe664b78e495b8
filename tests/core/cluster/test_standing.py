"""What a task tells of where its steps stand, and `tf.cluster.watch`, which asks all tasks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")

import minitf as tf  # noqa: E402
from minitf.core.cluster.wire.channel import Channel  # noqa: E402
from minitf.core.cluster.wire.task_server import TaskServer  # noqa: E402
from minitf.core.graph import errors  # noqa: E402

ROOT = Path(__file__).parents[3]
PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"


@pytest.fixture
def servers(request: pytest.FixtureRequest):
    names = {job: [f"inproc://{request.node.name}-{job}"] for job in ("ps", "worker")}
    spec = tf.train.ClusterSpec(names)
    made = [tf.train.Server(spec, job, 0, protocol="inproc") for job in ("ps", "worker")]
    yield made
    for server in made:
        server.stop()


def waits(view: Any) -> dict[str, list[dict[str, Any]]]:
    return {task["task"]: task["waits"] for task in view.traffic()["tasks"]}


def seen(view: Any, condition: Any) -> dict[str, list[dict[str, Any]]]:
    end = time.monotonic() + 10
    while not condition(found := waits(view)):
        assert time.monotonic() < end, found
        time.sleep(0.05)
    return found


def test_a_step_that_hangs_says_in_which_queue_and_since_when(servers: list[Any]) -> None:
    with tf.Graph().as_default():
        with tf.device(PS):
            queue = tf.FIFOQueue(3, tf.float32, shapes=[()], shared_name="tokens", name="tokens")
            token = queue.dequeue(name="take")
            fill = queue.enqueue(2.0)
        with tf.device(WORKER):
            doubled = token * 2.0
        session = tf.Session(servers[1].target)
        got: list[Any] = []
        thread = threading.Thread(target=lambda: got.append(session.run(doubled)))
        thread.start()
        view = tf.cluster.watch(servers[0].target)
        assert view.cluster_spec == tf.train.ClusterSpec(
            {"ps": [servers[0].address], "worker": [servers[1].address]}
        )
        found = seen(view, lambda tasks: tasks[PS] and tasks[WORKER])
        (there,) = found[PS]
        assert (there["node"], there["type"], there["of"]) == ("take", "QueueDequeueV2", "")
        here = next(wait for wait in found[WORKER] if wait["type"] == "_Recv")
        assert (here["node"], here["of"]) == ("take:0", PS)
        assert {there["step"]} == {wait["step"] for wait in found[WORKER]}
        time.sleep(0.5)
        later = seen(view, lambda tasks: tasks[PS][0]["seconds"] >= there["seconds"] + 0.4)
        assert later[PS][0]["seconds"] < 30
        session.run(fill)
        thread.join(10)
        assert got == [4.0]
        assert seen(view, lambda tasks: not any(tasks.values()))
        session.close()
        view.close()


def test_a_watched_cluster_has_the_counters_of_all_tasks(servers: list[Any]) -> None:
    with tf.Graph().as_default():
        with tf.device(PS):
            w = tf.get_variable("w", [100], initializer=tf.zeros_initializer())
        with tf.device(WORKER):
            step = tf.assign_add(w, w + 1.0)
        with tf.Session(servers[1].target) as session:
            session.run(w.initializer)
            for _ in range(7):
                session.run(step.op)
    view = tf.cluster.watch(servers[1].target)
    snapshot = view.traffic()
    assert [task["alive"] for task in snapshot["tasks"]] == [True, True]
    assert snapshot["counters"][f"{PS}|{WORKER}"]["messages"] >= 7
    assert any("w/read:0" in event["tensor"] for event in snapshot["events"])
    servers[0].stop()
    time.sleep(0.3)
    assert [task["alive"] for task in view.traffic()["tasks"]] == [False, True]


@pytest.mark.parametrize("target", ["localhost", "grpc://nowhere", "grpc://a/b:1"])
def test_a_target_is_an_address(target: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="host-port pair"):
        tf.cluster.watch(target)


@pytest.mark.parametrize(
    "broken",
    [
        {"cluster": {}},
        {"cluster": [PS]},
        {"cluster": {"<b>": "inproc://x"}},
        {"cluster": {PS: "no address"}},
        {"cluster": {PS: 3}},
    ],
)
def test_a_cluster_that_is_none_is_refused(broken: dict[str, Any]) -> None:
    server = TaskServer(PS)
    server.handle("traffic", lambda call: (broken, ()))
    server.start("inproc://liar")
    try:
        with pytest.raises(errors.InvalidArgumentError):
            tf.cluster.watch("inproc://liar").traffic()
    finally:
        server.stop()


@pytest.mark.parametrize(
    "broken",
    [
        {"counters": []},
        {"counters": {"a": {"messages": 1, "bytes": 1}}},
        {"counters": {"a|b": {"messages": "1", "bytes": 1}}},
        {"events": [{"step": 1}]},
        {"events": 3},
        {"waits": [{"step": 1, "node": "x", "type": "", "of": "", "seconds": 1.0}]},
        {"waits": [{"step": "", "node": "x", "type": "", "of": "", "seconds": float("nan")}]},
        {"incarnation": None},
        {"cursor": -1},
    ],
)
def test_a_task_that_answers_in_another_form_counts_as_dead(broken: dict[str, Any]) -> None:
    good = {"incarnation": 1, "cursor": 0, "counters": {}, "events": [], "waits": []}
    told = {"cluster": {PS: "inproc://liar"}, **good, **broken}
    server = TaskServer(PS)
    server.handle("traffic", lambda call: (told, ()))
    server.start("inproc://liar")
    try:
        (task,) = tf.cluster.watch("inproc://liar").traffic()["tasks"]
        assert not task["alive"]
        told.update(good)
        (task,) = tf.cluster.watch("inproc://liar").traffic()["tasks"]
        assert task["alive"]
    finally:
        server.stop()


def test_only_who_asks_hears_of_the_cluster(servers: list[Any]) -> None:
    channel = Channel(servers[0].address)
    assert "cluster" not in channel.call("traffic").fields
    assert channel.call("traffic", {"cluster": True}).fields["cluster"][PS] == servers[0].address
    channel.close()


def test_who_watches_a_training_does_not_stop_it() -> None:
    program = Path(__file__).parent / "programs" / "watched.py"
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("watched to the end\n", "")


def test_nothing_looks_at_the_frames_of_other_threads() -> None:
    """Python up to 3.11 holds a lock meanwhile that a collection of garbage may want."""
    looks = re.compile(r"_current_frames|_current_exceptions|settrace|setprofile")
    found = [path for path in ROOT.glob("minitf/**/*.py") if looks.search(path.read_text())]
    assert not found


def test_a_step_that_computes_is_told_without_an_operation(servers: list[Any]) -> None:
    with tf.Graph().as_default():
        with tf.device(WORKER):
            turns = tf.while_loop(lambda i: True, lambda i: i + 1, [0])
        with tf.Session(servers[1].target) as session:
            thread = threading.Thread(target=lambda: is_given_up(session, turns))
            thread.start()
            view = tf.cluster.watch(servers[1].target)
            (line,) = seen(view, lambda tasks: tasks[WORKER])[WORKER]
            assert (line["node"], line["type"], line["of"]) == ("", "", "")
            view.close()
        thread.join(10)
        assert not thread.is_alive()


def is_given_up(session: Any, fetch: Any) -> None:
    with pytest.raises(errors.OpError):
        session.run(fetch)

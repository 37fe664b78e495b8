"""Collective operations between tasks: of one process, of three processes, and what goes wrong."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire.channel import Channel
from minitf.library.distribute.collectives import groups, links
from minitf.library.distribute.collectives.ops import all_gather, all_reduce
from tests.core.cluster.conftest import eventually, free_addresses, spawn  # noqa: F401

PROGRAM = str(Path(__file__).parent / "reduce_program.py")


@pytest.fixture(params=["memory", "wire"])
def way(request, monkeypatch):
    """Through memory that both have, or over the connection as between two machines."""
    if request.param == "wire":
        monkeypatch.setattr(groups, "make_memory", lambda: None)
    return request.param


@pytest.fixture
def workers():
    """Three workers of this process."""
    spec = free_addresses(worker=3)
    servers = [Server(spec, "worker", i) for i in range(3)]
    yield servers
    for server in servers:
        server.stop()


def _each(servers, work):
    """Runs `work(session, index)` for each worker in a graph and a session of its own, at once."""
    results = [None] * len(servers)

    def run(i):
        try:
            with tf.Graph().as_default(), tf.Session(servers[i].target) as session:
                with tf.device(f"/job:worker/task:{i}/cpu:0"):
                    results[i] = work(session, i)
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(servers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    return results


def _sent(servers):
    """What each worker has sent to others in collective operations, in bytes."""
    sent = {f"/job:worker/task:{i}": 0 for i in range(len(servers))}
    for server in servers:
        for event in server._server.tap.drain(limit=10_000)[1]:
            if event.kind == "collective":
                sent[event.source] += event.bytes
    return list(sent.values())


@pytest.mark.parametrize("hint", ["ring", "tree", "naive"])
def test_workers_with_graphs_of_their_own(workers, way, hint):
    values = [np.random.default_rng(i).integers(0, 9, 300_001).astype(float) for i in range(3)]

    def work(session, i):
        x = tf.placeholder(tf.float64, [300_001])
        made = [
            all_reduce(x, 3, 1, 1, communication_hint=hint),
            all_gather(x[:5], 3, 1, 2, communication_hint=hint),
        ]
        for _ in range(3):
            result = session.run(made, {x: values[i]})
        return result

    for total, gathered in _each(workers, work):
        np.testing.assert_array_equal(total, sum(values))
        np.testing.assert_array_equal(gathered, np.concatenate([v[:5] for v in values]))


@pytest.mark.parametrize("hint", ["ring", "tree", "naive"])
def test_one_graph_over_all_workers(workers, way, hint):
    with tf.Graph().as_default(), tf.Session(workers[0].target) as session:
        made = []
        for i in range(3):
            with tf.device(f"/job:worker/task:{i}/cpu:0"):
                part = tf.fill([100_000], float(i + 1))
                made.append(all_reduce(part, 3, 1, 1, communication_hint=hint))
        for _ in range(3):
            assert all((value == 6.0).all() for value in session.run(made))
        assert session.run(tf.add_n([m[0] for m in made])) == 18.0


def test_devices_of_several_workers(workers):
    config = tf.ConfigProto(device_count={"CPU": 2})
    spec = free_addresses(worker=2)
    servers = [Server(spec, "worker", i, config=config) for i in range(2)]
    with tf.Graph().as_default(), tf.Session(servers[0].target) as session:
        made = []
        for number in range(4):
            with tf.device(f"/job:worker/task:{number // 2}/cpu:{number % 2}"):
                made.append(all_reduce(tf.fill([50_000], 1.0 + number), 4, 1, 1))
        for _ in range(3):
            assert all((value == 10.0).all() for value in session.run(made))
    for server in servers:
        server.stop()


@pytest.mark.parametrize(("hint", "theory"), [("ring", [4 / 3] * 3), ("naive", [2.0, 1.0, 1.0])])
def test_bytes_on_the_wire_are_those_of_the_theory(workers, way, hint, theory):
    size = 1_200_000

    def work(session, i):
        return session.run(
            all_reduce(np.ones(size // 4, np.float32), 3, 1, 1, "Add", "Id", (0,), hint)
        )

    results = _each(workers, work)
    assert all((result == 3.0).all() for result in results)
    np.testing.assert_allclose(_sent(workers), [size * each for each in theory], rtol=0.01)


# ---- what goes wrong ---------------------------------------------------------------------


def test_a_member_with_another_shape_ends_the_step_of_all_and_the_next_one_works(workers, way):
    def work(session, i):
        x = tf.placeholder(tf.float32, [None])
        made = all_reduce(x, 3, 1, 1, timeout=20.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch") as info:
            session.run(made, {x: np.ones(400_000 if i == 1 else 300_000)})
        assert "CollectiveReduce" in str(info.value)
        return session.run(made, {x: np.ones(1000)})

    start = time.monotonic()
    found = _each(workers, work)
    assert all(np.array_equal(result, np.full(1000, 3.0)) for result in found), found
    assert time.monotonic() - start < 10


def test_members_that_say_other_sizes(workers):
    def work(session, i):
        made = all_reduce(1.0, 3 if i else 2, 1, 1, timeout=1.0)
        try:
            session.run(made)
        except tf.errors.OpError as error:
            return error

    found = _each(workers, work)
    assert any(
        isinstance(error, tf.errors.InternalError) and "joining a group with size" in error.message
        for error in found
    )
    assert all(
        isinstance(error, tf.errors.InternalError | tf.errors.DeadlineExceededError)
        for error in found
    )


def test_a_member_that_does_not_come(workers):
    def work(session, i):
        if i == 2:
            return None
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(all_reduce(1.0, 3, 1, 1), options=tf.RunOptions(timeout_in_ms=500))

    assert _each(workers, work) == [None] * 3


def test_operations_in_another_order_say_so(workers):
    def work(session, i):
        first, second = (
            all_reduce(1.0, 3, 1, key, timeout=10.0) for key in ((1, 2) if i else (2, 1))
        )
        session.run(first)
        return session.run(second)

    found = _each(workers, work)
    assert all(isinstance(error, tf.errors.InvalidArgumentError) for error in found), found
    assert "must run its operations in one order" in found[0].message


def test_a_step_that_is_given_up_ends_those_of_the_others(workers):
    def work(session, i):
        made = all_reduce(np.ones(10), 3, 1, 1)
        session.run(made)
        if i == 2:
            return "did not come"
        options = tf.RunOptions(timeout_in_ms=400) if i == 0 else None
        with pytest.raises((tf.errors.DeadlineExceededError, tf.errors.CancelledError)) as info:
            session.run(made, options=options)
        return type(info.value)

    start = time.monotonic()
    found = _each(workers, work)
    assert found[0] is tf.errors.DeadlineExceededError, found
    assert time.monotonic() - start < 15


@pytest.mark.parametrize("kill", [False, True])
def test_three_processes(spawn, kill):  # noqa: F811
    spec = free_addresses(worker=3)
    processes = [spawn(PROGRAM, json.dumps(spec), str(i), str(int(kill))) for i in range(3)]
    if kill:
        assert processes[2].stdout.readline().strip() == "ready"
        time.sleep(0.3)
        os.kill(processes[2].pid, signal.SIGKILL)
        start = time.monotonic()
        for process in processes[:2]:
            told = process.communicate(timeout=20)[0]
            assert "UnavailableError" in told, told
        assert time.monotonic() - start < 10
    else:
        for process in processes:
            told = process.communicate(timeout=60)[0]
            assert "all sums are right" in told, told


# ---- peers that mean harm ----------------------------------------------------------------


def _raw(server, **fields):
    """A call that opens a link, as any member of the cluster could; its connection."""
    scope = {"scope": "1/4711", "source": "/job:worker/replica:0/task:1/device:CPU:0"}
    scope["target"] = "/job:worker/replica:0/task:0/device:CPU:0"
    return Channel(server.address).begin("collectives.link", {**scope, **fields}).connection


@pytest.mark.parametrize(
    "fields",
    [
        {"scope": 7},
        {"target": "/job:worker/replica:0/task:2/device:CPU:0"},
        {"target": "elsewhere"},
        {"source": None},
    ],
)
def test_links_that_make_no_sense_are_refused(workers, fields):
    answer = _raw(workers[0], **fields).receive()[0]
    assert "error" in answer and not workers[0]._server.kept.get("collectives", workers)._links


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "minitf-" + "0" * 32, "sem.x", "", 7, None, "minitf-../../x"]
)
def test_names_of_memory_are_looked_at(workers, name):
    connection = _raw(workers[0], memory=name)
    answer = connection.receive()[0]
    assert answer == {"memory": False} or "error" in answer
    connection.close()


def test_memory_of_another_size_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(links, "_FOLDER", str(tmp_path))
    name = "minitf-" + "a" * 32
    (tmp_path / name).write_bytes(b"x" * 100)
    assert links.find_memory(name) is None
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/dev/zero")
    assert links.find_memory(name) is None


def test_hostile_messages_end_the_link_and_nothing_else(workers, monkeypatch):
    monkeypatch.setattr(groups, "make_memory", lambda: None)
    kept: list = []

    def work(session, i):
        made = all_reduce(np.ones(50_000), 3, 1, 1, timeout=20.0)
        session.run(made)
        if i == 1:  # into the stream of a link that is in use
            own = workers[1]._server.kept["collectives"]
            out = next(each for key, each in own._links.items() if "task:1/" in key[1])
            kept.append(out._connection)
            out._connection._sock.send(b"MTF1" + b"\xff" * 200)
        try:
            return session.run(made)
        except tf.errors.OpError as error:
            assert (session.run(made) == 3.0).all()
            return error

    found = _each(workers, work)
    assert all(isinstance(each, tf.errors.UnavailableError) for each in found), found
    assert "header of 4294967295 bytes, at most" in " ".join(map(str, found))


def test_positions_that_cannot_be_are_refused():
    class Words:
        peer = "peer"
        said = (2**40).to_bytes(8, "little")

        def fileno(self):
            return 0

        def receive_some(self, target):
            target[: len(self.said)] = self.said
            return len(self.said)

    link = links.SharedLink(np.zeros(links.RING, np.uint8), Words(), "a", "b")
    with pytest.raises(tf.errors.UnavailableError, match="says what cannot be"):
        link.peek(10)


def test_nothing_stays_behind(workers):
    def work(session, i):
        return session.run(all_reduce(np.ones(10), 3, 1, 1))

    _each(workers, work)
    assert not [n for n in os.listdir("/dev/shm") if n.startswith("minitf-")]
    for server in workers:
        server.stop()
    assert eventually(lambda: not any(s._server._connections for s in workers))

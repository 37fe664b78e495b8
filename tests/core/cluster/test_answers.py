"""A peer may answer anything: what does not do is an error that names the peer and the field."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("distributed")

import minitf as tf  # noqa: E402
from minitf.core.cluster.service.server import Server  # noqa: E402
from minitf.core.cluster.wire.call import (
    Answer,  # noqa: E402
    Fields,  # noqa: E402
)
from minitf.core.cluster.wire.channel import Channel  # noqa: E402
from minitf.core.cluster.wire.task_server import TaskServer  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"
CPU = "/replica:0/task:0/device:CPU:0"


@pytest.fixture
def tasks() -> Iterator[tuple[Server, Server]]:
    """A ps, and a worker whose handlers a test may replace."""
    names = {job: [f"inproc://answers-{job}"] for job in ("ps", "worker")}
    made = [Server(tf.train.ClusterSpec(names), job, 0, protocol="inproc") for job in names]
    yield made[0], made[1]
    for server in made:
        server.stop()


def _lie(server: Server, method: str, change: Any) -> None:
    """Makes a task change its answers to a method: `change(fields, arrays)`."""
    handlers = server._server._handlers
    honest = handlers[method]

    def lying(call: Any) -> Any:
        fields, arrays = honest(call)
        fields, arrays = dict(fields), list(arrays)
        change(fields, arrays)
        return fields, arrays

    handlers[method] = lying


def _step(session_target: str) -> Any:
    """A step in which the ps needs a tensor of the worker, and the client another."""
    with tf.Graph().as_default():
        with tf.device(PS):
            given = tf.Variable(tf.ones([3]), name="given")
        with tf.device(WORKER):
            there = tf.multiply(given, 2.0, name="there")
        with tf.device(PS):
            here = tf.add(there, 1.0, name="here")
        with tf.Session(session_target) as session:
            session.run(given.initializer)
            return session.run([here, there])


def _without(name: str) -> Any:
    return lambda fields, arrays: fields.pop(name)


def _put(name: str, value: Any) -> Any:
    return lambda fields, arrays: fields.update({name: value})


def _array(value: Any) -> Any:
    return lambda fields, arrays: arrays.__setitem__(slice(None), [value] if arrays else [])


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("register_graph", _without("handle"), "'handle' is missing"),
        ("register_graph", _put("handle", "7"), "'handle' must be a whole number .* got '7'"),
        ("register_graph", _put("can_talk", 1), "'can_talk' must be true or false"),
        ("run_graph", lambda fields, arrays: arrays.clear(), "Expected 1 values to fetch, got 0"),
        ("run_graph", _array(np.ones(4, "f4")), r"fetch value .* \(4,\) for 'there'.* \(3,\)"),
        ("run_graph", _array(np.ones(3, "i4")), "fetch value of type int32 .* 'there'"),
    ],
)
def test_an_answer_that_does_not_do_names_the_peer_and_the_field(
    tasks: tuple[Server, Server], method: str, change: Any, message: str
) -> None:
    ps, worker = tasks
    _lie(worker, method, change)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
        _step(ps.target)
    assert f"The answer of {worker.address} to {method}: " in caught.value.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda fields, arrays: arrays.clear(), "Expected 1 tensors, got 0"),
        (_array(np.ones((1, 3), "f4")), rf"from {WORKER} a value .* \(1, 3\) for 'there:0'"),
        (_array(np.ones(3, "f8")), rf"from {WORKER} a value of type float64 .* 'there:0'"),
    ],
)
def test_a_tensor_is_looked_at_where_it_enters(
    tasks: tuple[Server, Server], change: Any, message: str
) -> None:
    ps, worker = tasks
    worker._worker.can_talk = lambda handle: False  # type: ignore[method-assign]  # it is asked
    _lie(worker, "recv_tensor", change)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _step(ps.target)


def test_a_tensor_of_a_talk_is_looked_at_too(tasks: tuple[Server, Server]) -> None:
    ps, worker = tasks
    register = worker._worker.register_graph

    def registers(*args: Any, **kwargs: Any) -> int:
        handle = register(*args, **kwargs)
        graph = worker._worker._graphs[handle]
        run = graph.plan.run

        def lies(args: Any, options: Any, metadata: Any, rendezvous: Any) -> Any:
            send = rendezvous.send
            rendezvous.send = lambda key, value: send(key, np.ones(4, "f4"))
            return run(args, options, metadata, rendezvous)

        graph.plan.run = lies
        return handle

    worker._worker.register_graph = registers  # type: ignore[method-assign]
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"from {WORKER} a value .* \(4,\)"):
        _step(ps.target)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_without("incarnation"), "'incarnation' is missing"),
        (_put("devices", None), "'devices' must be a list"),
        (_put("devices", [["x"]]), "'devices' must have name, device_type"),
        (_put("devices", [[f"/job:ps{CPU}", "CPU", ""]]), "has no device '/job:ps"),
    ],
)
def test_a_session_opens_without_a_task_that_tells_nonsense_of_itself(
    tasks: tuple[Server, Server], change: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    ps, worker = tasks
    _lie(worker, "status", change)
    with tf.Session(ps.target, tf.Graph()) as session:
        names = [device.name for device in session.list_devices()]
    assert names == [f"/job:ps{CPU}", f"/job:worker{CPU}"]
    (record,) = caplog.records
    assert record.message.startswith(f"{WORKER} does not answer as a task does.")
    assert message in record.message


def test_what_a_client_reads_of_its_master() -> None:
    server = TaskServer(PS)
    told = {"session": 7, "devices": [[f"/job:ps{CPU}", "CPU", "", 3]]}
    server.handle("create_session", lambda call: (told, ()))
    server.handle("close_session", lambda call: ({}, ()))
    server.start("localhost:0")
    try:
        target = f"grpc://{server.address}"
        with tf.Session(target, tf.Graph()) as session:
            assert [device.incarnation for device in session.list_devices()] == [3]
        for name, broken in [
            ("session", 0),
            ("devices", [[1, "CPU", "", 3]]),
            ("devices", [["", "", ""]]),
        ]:
            honest, told[name] = told[name], broken
            with pytest.raises(
                tf.errors.InvalidArgumentError, match=f"of {server.address} to .*'{name}'"
            ):
                tf.Session(target, tf.Graph())
            told[name] = honest
        server.handle("ping", lambda call: ({"incarnation": "new"}, ()))
        with pytest.raises(tf.errors.InvalidArgumentError, match="to ping: .*'incarnation'"):
            Channel(server.address).wait_until_ready(1.0)
    finally:
        server.stop()


def test_what_an_array_says() -> None:
    answer = Answer({}, [b"a text"], 0, 0, "The answer of x: ")
    assert Fields(answer).document() == "a text"
    for arrays in ([], [np.ones(2)], [b"\xff"]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="^The answer of x: "):
            Fields(answer._replace(arrays=arrays)).document()
    for stats in (np.ones(2), np.frombuffer(b"[]", np.uint8), b"{}"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="^The answer of x: The stats"):
            Fields(answer._replace(arrays=[stats])).take_metadata()


#: Where fields are looked at, or are not a peer's.
_READERS = {f"wire/{each}.py" for each in ("fields", "channel", "task_server", "call", "framing")}


def test_no_answer_is_used_unread() -> None:
    """Outside of `Fields` nobody takes a field out of an answer, or its only array."""
    found = []
    folders = ("minitf/core/cluster", "minitf/library/clusters", "minitf/library/distribute")
    for path in [each for folder in folders for each in (ROOT / folder).rglob("*.py")]:
        if str(path).endswith(tuple(_READERS)):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            used = node.value if isinstance(node, ast.Subscript | ast.Attribute) else None
            if isinstance(used, ast.Attribute) and used.attr in ("fields", "arrays"):
                if "_work" not in ast.dump(used):  # a collective operation's own
                    found.append(f"{path.name}:{used.lineno}")
            answers = isinstance(node, ast.Attribute) and node.attr == "fields"
            if answers and isinstance(node.value, ast.Call):  # channel.call(...).fields
                found.append(f"{path.name}:{node.lineno}")
    assert found == []

"""The class cluster: one line to join, who is in, who is sent away, and what nobody may do."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.channel import Channel

pytest.importorskip("cryptography")

from minitf.library.clusters import classroom, lending, voting  # noqa: E402
from minitf.library.clusters.certificates import Papers, make_request  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def eventually(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def room() -> Iterator[classroom.ClassCluster]:
    with tf.cluster.invite("127.0.0.1") as room:
        yield room


@pytest.fixture
def student(room: classroom.ClassCluster) -> Iterator[Callable[..., Any]]:
    """Pastes the line, in a process of its own or, quicker, in this one."""
    processes: list[subprocess.Popen[str]] = []
    lent: list[lending.Lending] = []

    def joined(name: str) -> bool:
        return name in [member.name for member in room.members]

    def start(name: str, process: bool = False, line: str = "") -> Any:
        key, _, *words = (line or room.line).split()
        variable, _, value = key.partition("=")
        if not process:
            lent.append(tf.cluster.join(words[-1], value, name=name))
            assert eventually(lambda: joined(lent[-1].name))
            return lent[-1]
        made = subprocess.Popen(
            [sys.executable, *words, "--name", name],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", variable: value},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        processes.append(made)
        assert eventually(lambda: joined(name) or made.poll() is not None)
        return made

    yield start
    for each in lent:
        each.leave()
    for made in processes:
        made.kill()
        made.communicate()


def _line(member: Any) -> Any:
    """A line through points, which the member draws."""
    x = tf.random_uniform([32], -1.0, 1.0, seed=member.index)
    slope = tf.get_variable("slope", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(slope * x - 3.0 * x))
    return tf.train.GradientDescentOptimizer(0.3).minimize(loss), slope


def _where(session: tf.Session, device: str) -> float:
    with session.graph.as_default(), tf.device(device):
        return float(session.run(tf.constant(2.0) * 3.0))


def _key(room: classroom.ClassCluster) -> list[str]:
    return room.line.split()[0].partition("=")[2].split(".")


def test_the_line_says_all(room: classroom.ClassCluster) -> None:
    key, *words = room.line.split()
    assert words == ["python", "-m", "minitf", "join", room.target.removeprefix("grpc://")]
    assert key == "MINITF_CLASS_KEY=" + ".".join(_key(room)) and len(_key(room)[2]) == 64
    assert "PRIVATE" not in repr(room) + room._repr_html_()
    assert room.line in repr(room) and room.line in room._repr_html_()
    assert "PRIVATE" not in repr(room._authority.papers)


def test_training_with_one_who_comes_late_and_one_who_leaves(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    slopes: list[float] = []
    made: list[str] = []
    ana = student("ana", process=True)

    def build(member: Any) -> Any:
        fetches = _line(member)

        def step(session: tf.Session) -> Any:
            if member.name == "ana" and len(made) > 30 and made.count("ben") < 20:
                time.sleep(0.05)  # or she would have made all steps before ben has begun
            return session.run(fetches)

        return step

    def on_step(member: Any, values: Any) -> None:
        made.append(member.name)
        slopes.append(float(values[1]))
        if len(made) == 20:
            threading.Thread(target=student, args=("ben",), kwargs={"process": True}).start()
            assert eventually(lambda: len(room.members) == 2)
        if made.count("ben") == 20:
            ana.kill()  # in the middle of whatever it does

    counts = room.train(build, 600, on_step)
    assert sum(counts.values()) == len(made) == 600
    assert counts["ana"] >= 20 and counts["ben"] > 20
    assert "ana" not in made[-20:]
    assert slopes[-1] == pytest.approx(3.0, abs=1e-3)
    assert eventually(lambda: [member.name for member in room.members] == ["ben"])
    # What was learned is on the lecturer's machine, and stays: nobody starts from nothing.
    assert min(slopes[100:]) > 1.0
    again = room.train(build, 10, on_step)
    assert again == {"ben": 10} and slopes[-10] == pytest.approx(3.0, abs=1e-3)


def test_who_is_in(room: classroom.ClassCluster, student: Callable[..., Any]) -> None:
    assert room.members == []
    ana = student("ana")
    student("ana")
    first, second = room.members
    assert (first.name, second.name) == ("ana", "ana 2")
    assert (first.device, second.device) == ("/job:worker/task:0", "/job:worker/task:1")
    assert first.cores == os.cpu_count()
    assert first.address.startswith("127.0.0.1:")
    assert time.time() - first.since < 60
    assert "ana 2: /job:worker/task:1" in repr(room)
    assert "lends" in repr(ana) and ana.task == "/job:worker/task:0"
    student("<b>&")
    assert "<b>" in repr(room) and "<b>" not in room._repr_html_()
    ana.leave()
    assert eventually(lambda: [member.name for member in room.members] == ["ana 2", "<b>&"])
    assert ana.ended == "This machine has left the class cluster."


def test_a_member_that_is_removed_stays_out(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    line = room.line
    ana, ben = student("ana"), student("ben")
    with tf.Session(room.target, tf.Graph()) as session:
        assert _where(session, ana.task) == _where(session, ben.task) == 6.0
        with pytest.raises(tf.errors.NotFoundError, match="No member is named 'eve'.* ana, ben"):
            room.remove("eve")
        assert room.remove("ana", alone=True) == ["ana"]
        assert _where(session, ben.task) == 6.0  # the session goes on
        with pytest.raises(tf.errors.OpError):
            _where(session, ana.task)
    assert [member.name for member in room.members] == ["ben"]
    assert eventually(lambda: ana.ended)
    assert ana.ended == classroom.REMOVED
    ana._channel.close()  # its connections were cut, which the next call on one would tell instead
    for method in ("stay", "ping", "watch", "enrol"):  # with its certificate
        with pytest.raises(tf.errors.PermissionDeniedError, match="has removed this machine"):
            ana._channel.call(method)
    lent = transport.connect(ana._address, ana._lent)
    assert eventually(lent.peer_is_gone)  # nobody takes it
    assert room.line != line
    with pytest.raises(tf.errors.UnauthenticatedError, match="ask for the one shown now"):
        student("ana again", line=line)  # with the line that it knows
    assert student("carl").task == "/job:worker/task:2"
    assert not ben.ended


def _enrol(room: classroom.ClassCluster, **changes: Any) -> Any:
    gate, ticket, lecturer = _key(room)
    _, request = make_request("eve")
    fields = {"name": "eve", "request": request, "cores": 4}
    fields |= {key: value for key, value in changes.items() if key in fields}
    proof = classroom.proof_of(ticket, lecturer, str(fields["name"]), str(fields["request"]))
    options = transport.TransportOptions(gate, Papers("", "", lecturer))
    channel = Channel(room.target.removeprefix("grpc://"), options)
    return channel.call("enrol", {**fields, "proof": changes.get("proof", proof)}, timeout=5.0)


def test_strangers_are_refused(room: classroom.ClassCluster) -> None:
    gate, ticket, lecturer = _key(room)
    address = room.target.removeprefix("grpc://")
    wrong = "0" * 64
    cases = [
        (f"{gate}.{'x' * 16}.{lecturer}", tf.errors.UnauthenticatedError, "ask for the one shown"),
        (f"{'x' * 16}.{ticket}.{lecturer}", tf.errors.UnauthenticatedError, "token"),
        (f"{gate}.{ticket}.{wrong}", tf.errors.UnauthenticatedError, "another certificate"),
        (f"{gate}.{ticket}", tf.errors.InvalidArgumentError, "paste all of the line"),
    ]
    for key, kind, message in cases:
        with pytest.raises(kind, match=message):
            tf.cluster.join(address, key, "eve")
    papers = Papers("", "", lecturer)
    stranger = Channel(address, transport.TransportOptions(gate, papers))
    for method in ("ping", "stay", "watch", "run_graph", "reset", "traffic"):
        with pytest.raises(tf.errors.UnauthenticatedError, match="Only members"):
            stranger.call(method)
    assert room.members == []


def test_a_fingerprint_is_looked_at_before_anything_is_proved(
    room: classroom.ClassCluster,
) -> None:
    """Who listens in the lecturer's place learns nothing that would let it in."""
    with tf.cluster.invite("127.0.0.1") as impostor:
        asked: list[str] = []
        impostor._server.guard = lambda method, call: asked.append(method)
        with pytest.raises(tf.errors.UnauthenticatedError, match="not who it should be"):
            tf.cluster.join(impostor.target.removeprefix("grpc://"), ".".join(_key(room)), "ana")
        assert asked == []


def test_an_enrolment_cannot_be_used_twice_or_changed(room: classroom.ClassCluster) -> None:
    _, request = make_request("eve")
    _enrol(room, request=request)
    with pytest.raises(tf.errors.PermissionDeniedError, match="was used before"):
        _enrol(room, request=request)
    gate, ticket, lecturer = _key(room)
    other = classroom.proof_of(ticket, lecturer, "eve", request)
    with pytest.raises(tf.errors.UnauthenticatedError):
        _enrol(room, proof=other)  # a proof for another request
    for changes in ({"name": ""}, {"name": "a\nb"}, {"name": "e" * 41}, {"cores": 0}):
        with pytest.raises(tf.errors.InvalidArgumentError):
            _enrol(room, **changes)
    with pytest.raises(tf.errors.InvalidArgumentError, match="request for a certificate is none"):
        _enrol(room, request="-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n")


def test_a_removal_takes_all_that_a_machine_has_enrolled(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    eve, ana = student("eve"), student("ana")
    _enrol(room, name="somebody")  # and does not come yet
    _move(room, "ana", "192.168.1.7:999")  # another machine
    assert room.remove("eve") == ["eve", "somebody"]
    assert [member.name for member in room.members] == ["ana"] and not ana.ended
    assert eventually(lambda: eve.ended == classroom.REMOVED)
    with pytest.raises(tf.errors.NotFoundError, match="No member is named 'somebody'.* ana$"):
        room.remove("somebody")


def _move(room: classroom.ClassCluster, name: str, address: str) -> None:
    """Lets a member seem to connect from another machine."""
    (member,) = [each for each in room._known.values() if each.name == name]
    member.address = address
    room._set_cluster()


def test_a_name_is_one_members(room: classroom.ClassCluster, student: Callable[..., Any]) -> None:
    names = [_enrol(room, name="ana").fields["name"] for _ in range(3)]
    assert names == ["ana", "ana 2", "ana 3"]  # of whom none has come yet
    room._known.clear()
    ana = student("ana")
    room.members[0]._seen -= 100  # she is asleep
    assert _enrol(room, name="ana").fields["name"] == "ana 2"
    ana.leave()
    assert _enrol(room, name="ana").fields["name"] == "ana"


def test_one_machine_does_not_fill_the_room(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    ana = student("ana")
    for _ in range(room.per_address - 1):
        _enrol(room)
    for _ in range(3):
        with pytest.raises(tf.errors.ResourceExhaustedError, match="4 .* 127.0.0.1.* per_address"):
            _enrol(room)
    assert len(room._known) == 4 and not ana.ended
    for member in room._known.values():
        if member.name != "ana":
            member._seen -= 100  # they have never come
    for _ in range(20):  # pasted again and again, and ended each time
        _enrol(room)
        list(room._known.values())[-1]._seen -= 100
    assert len(room._known) == 4 and [each.name for each in room.members] == ["ana"]
    assert not ana.ended
    for i, member in enumerate(room._known.values()):
        member.address = f"10.0.0.{i}:1"
    assert _enrol(room).fields["name"]  # from another machine
    room.per_address = 5
    for _ in range(4):
        _enrol(room)
    assert len(room._known) == 9


def test_the_whole_room_has_a_bound(
    room: classroom.ClassCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classroom, "MOST_MEMBERS", 3)
    for i in range(3):
        _enrol(room, name=f"m{i}")
        list(room._known.values())[-1].address = f"10.0.0.{i}:1"
    with pytest.raises(tf.errors.ResourceExhaustedError, match="3 .* class cluster"):
        _enrol(room)
    next(iter(room._known.values()))._seen -= 100
    assert _enrol(room).fields["name"] == "eve"
    assert [each.name for each in room._known.values()] == ["m1", "m2", "eve"]


def test_the_list_of_processes_does_not_show_the_key(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    ana = student("ana", process=True)
    shown = Path(f"/proc/{ana.pid}/cmdline").read_text()
    assert room.line.split()[-1] in shown
    assert not [part for part in _key(room) if part in shown]


def test_a_certificate_of_another_session_is_refused(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    ana = student("ana")
    gate, _, lecturer = _key(room)
    with tf.cluster.invite("127.0.0.1") as other:
        papers = ana._channel.options.security
        options = transport.TransportOptions(
            other._gate, Papers(papers.certificate, papers.key, _key(other)[2])
        )
        address = other.target.removeprefix("grpc://")
        with pytest.raises((tf.errors.UnauthenticatedError, tf.errors.UnavailableError)):
            Channel(address, options).call("stay", timeout=3.0)
        assert other.members == []


def test_a_members_certificate_signs_nothing_and_serves_nobody(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    from cryptography import x509

    ana = student("ana")
    made = x509.load_pem_x509_certificate(ana._channel.options.security.certificate.encode())
    assert made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
    usage = made.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [x509.ExtendedKeyUsageOID.CLIENT_AUTH]


def test_the_machine_of_a_student_is_safe(
    room: classroom.ClassCluster, student: Callable[..., Any], tmp_path: Path
) -> None:
    ana, ben = student("ana"), student("ben")
    assert ana._server.address == ""  # it listens nowhere
    secret = tmp_path / "diary"
    secret.write_text("mine")
    with tf.Graph().as_default(), tf.Session(room.target) as session:
        with tf.device(ana.task):
            harmful = [
                tf.read_file(str(secret)),
                tf.write_file(str(tmp_path / "new"), "x"),
                tf.matching_files(str(tmp_path / "*")),
                tf.py_func(os.getcwd, [], tf.string),
                tf.cond(tf.constant(True), lambda: tf.read_file(str(secret)), lambda: ""),
            ]
        for each in harmful:
            with pytest.raises(tf.errors.PermissionDeniedError, match=f"{ana.task} does not run"):
                session.run(each)
        with tf.device("/job:ps/task:0"):  # the lecturer's own machine may
            here = tf.read_file(str(secret))
            pid = tf.py_func(lambda: np.int64(os.getpid()), [], tf.int64)
        with tf.device(ana.task):
            there = tf.strings.join([here, "!"])
        assert session.run([there, pid]) == [b"mine!", os.getpid()]
        with tf.device(ben.task):
            from_ana = tf.identity(there)
        with pytest.raises(tf.errors.OpError):  # students' machines do not know each other
            session.run(from_ana, options=tf.RunOptions(timeout_in_ms=3000))
    assert not (tmp_path / "new").exists()


def test_a_member_gets_what_its_worker_needs(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    ana, ben = student("ana"), student("ben")
    for method in ("run_graph", "register_graph", "traffic", "reset"):
        with pytest.raises(tf.errors.PermissionDeniedError, match=f"may not call '{method}'"):
            ana._channel.call(method)
    cpu = "/replica:0/task:0/device:CPU:0"
    key = f"/job:ps{cpu};{ben.task.replace('/task', '/replica:0/task')}/device:CPU:0;w:0"
    with pytest.raises(tf.errors.PermissionDeniedError, match="asks for a tensor of"):
        ana._channel.call("recv_tensor", {"step": 7, "keys": [key]})
    with pytest.raises(tf.errors.UnimplementedError, match="no handler 'create_session'"):
        room._peers.channel(ana.task).call("create_session")
    with pytest.raises(tf.errors.PermissionDeniedError, match="does not answer 'collectives.join'"):
        room._peers.channel(ana.task).call("collectives.join")


def test_a_member_gives_up_no_steps_of_others(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    ana, ben = student("ana"), student("ben")
    honest, said = ana._server._handlers["run_graph"], []

    def run_graph(call: Any) -> Any:
        for step in (call.fields["step"], call.fields["step"] + 1):  # the next one as well
            with pytest.raises(tf.errors.OpError) as caught:
                ben._channel.call("cleanup_graph", {"step": step, "reason": "no"}, timeout=5.0)
            said.append(str(caught.value))
        return honest(call)

    ana._server.handle("run_graph", run_graph)
    with tf.Graph().as_default(), tf.Session(room.target) as session:
        with tf.device(ana.task):
            there = tf.random_uniform([2])
        with tf.device("/job:ps/task:0"):
            here = there + 1.0
        for _ in range(3):
            assert session.run(here).shape == (2,)
    assert len(said) == 6 and all(f"{ben.task} takes no part" in each for each in said)


def test_everybody_sees_the_same_traffic(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    ana, ben = student("ana"), student("ben")
    room.train(_line, 40, lambda member, values: time.sleep(0.005))
    time.sleep(0.3)
    mine, anas = room.traffic(), ana.traffic()
    bens = ben.traffic()
    for seen in (anas, bens):
        assert set(seen) == {"tasks", "counters", "events", "time"}
        assert seen["tasks"] == mine["tasks"]
        assert set(seen["counters"]) == set(mine["counters"])
    assert [task["address"].partition(",")[0] for task in mine["tasks"][1:]] == ["ana", "ben"]
    lanes = {f"{ana.task}|/job:ps/task:0", f"/job:ps/task:0|{ben.task}"}
    assert lanes <= set(mine["counters"])
    assert any("slope" in event["tensor"] for event in anas["events"])
    ben.leave()
    assert eventually(lambda: not room.traffic()["tasks"][-1]["alive"])
    view = pytest.importorskip("minitf_widgets").TrafficView(ana)
    try:
        assert eventually(lambda: view.tasks)
        assert view.to_text().startswith("Traffic between 3 tasks (1 dead)")
    finally:
        view.close()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"cursor": None}, "'cursor' must be a whole number"),
        ({"counters": {"a|b": {"messages": 1}}}, "'counters' must have messages, bytes"),
        ({"counters": [1]}, "'counters' must be a table"),
        ({"events": [{"end": 1.0}]}, "'events' must have step, tensor"),
        ({"waits": 3}, "'waits' must be a list"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_a_member_that_answers_nonsense_leaves_the_view_to_the_others(
    room: classroom.ClassCluster,
    student: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
    broken: dict[str, Any],
    message: str,
) -> None:
    ana, ben = student("ana"), student("ben")
    honest = ana._server._handlers["traffic"]
    ana._server.handle("traffic", lambda call: ({**honest(call)[0], **broken}, ()))
    for _ in range(2):
        seen = room.traffic()
        time.sleep(0.25)
    assert [task["alive"] for task in seen["tasks"]] == [True, False, True]
    (record,) = caplog.records  # once
    assert record.message.startswith(f"{ana.task} (ana, 127.0.0.1:")
    assert "to traffic: " in record.message and message in record.message
    ana._server.handle("traffic", lambda call: ({}, ()))
    assert not room.traffic()["tasks"][1]["alive"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="'snapshot'"):
        room._server.handle("watch", lambda call: ({"snapshot": {**seen, "tasks": [1]}}, ()))
        ben.traffic()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda arrays: arrays[1:], "Expected 2 tensors, got 1"),
        (lambda arrays: [np.ones((3, 2), "f4") for _ in arrays], r"shape (3, 2) for"),
        (lambda arrays: [each.astype("f8") for each in arrays], "type float64"),
    ],
    ids=["fewer", "shape", "type"],
)
def test_a_gradient_of_another_shape_is_its_members_fault(
    room: classroom.ClassCluster,
    student: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
    change: Callable[[list[Any]], list[Any]],
    message: str,
) -> None:
    ana, slopes = student("ana"), []
    student("ben")
    honest = ana._server._handlers["recv_tensor"]
    ana._server.handle("recv_tensor", lambda call: ({}, change(honest(call)[1])))

    def on_step(member: Any, values: Any) -> None:
        slopes.append(values[1])
        time.sleep(0.02)

    assert room.train(_line, 40, on_step) == {"ben": 40}
    (record,) = caplog.records
    assert record.message.startswith(f"ana ({ana.task}, 127.0.0.1:")
    assert "takes no part" in record.message and message in record.message
    assert {np.shape(slope) for slope in slopes} == {()}


def test_a_member_whose_connections_break_comes_back(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    ana = student("ana")
    for connection in list(room.members[0]._connections):
        connection.interrupt()
    assert eventually(lambda: len(room.members) == 1 and len(room.members[0]._spare) >= 2)
    with tf.Session(room.target, tf.Graph()) as session:
        assert _where(session, ana.task) == 6.0
    assert not ana.ended


def test_what_fails_in_build_is_raised(
    room: classroom.ClassCluster, student: Callable[..., Any]
) -> None:
    student("ana")
    with pytest.raises(ValueError, match="no such thing"):
        room.train(lambda member: (_ for _ in ()).throw(ValueError("no such thing")), 5)

    def divides(member: Any) -> Any:
        return tf.constant(1) // tf.constant([0])

    with pytest.raises(tf.errors.InvalidArgumentError):
        room.train(divides, 5)


@pytest.mark.parametrize(
    "raised",
    [
        tf.errors.ResourceExhaustedError(None, None, "OOM when running MatMul"),
        pytest.param(
            tf.errors.InternalError(None, None, "something broke"), marks=pytest.mark.long
        ),
        MemoryError(),
    ],
    ids=lambda raised: type(raised).__name__,
)
def test_a_member_that_fails_in_every_step_is_left_behind(
    room: classroom.ClassCluster,
    student: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    raised: Exception,
) -> None:
    def fails(handle: int, args: Any) -> Any:
        raise raised

    ana, ben = student("ana"), student("ben")
    monkeypatch.setattr(ana._server.on_end.__self__, "check_feeds", fails)  # the worker's
    made = room.train(_line, 80, lambda member, values: time.sleep(0.05), patience=2.0)
    assert made == {"ben": 80}
    first, last = [each.message for each in caplog.records if "ana" in each.message]
    for told in (first, last):
        assert told.startswith(f"ana ({ana.task}, 127.0.0.1:")
        assert (str(raised) or "MemoryError") in told
    assert "tries again for 2 s" in first and "takes no part in this training" in last
    assert [member.name for member in room.members] == ["ana", "ben"]
    ben.leave()
    assert eventually(lambda: len(room.members) == 1)
    with pytest.raises(tf.errors.OpError, match=str(raised) or "MemoryError"):  # nobody else is in
        room.train(_line, 5, patience=0.5)
    monkeypatch.undo()
    assert room.train(_line, 5) == {"ana": 5}


def test_a_member_that_answers_nothing_but_heartbeats_is_left_behind(
    room: classroom.ClassCluster, student: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    ana, asked, woken = student("ana"), threading.Event(), threading.Event()
    honest = ana._server._handlers["run_graph"]

    def run_graph(call: Any) -> Any:
        asked.set()
        return {"woken": woken.wait(60)}, ()

    def build(member: Any) -> Any:
        assert member.name == "ana" or asked.wait(30)  # ben comes second, to the first values too
        return _line(member)

    ana._server.handle("run_graph", run_graph)
    with pytest.raises(tf.errors.DeadlineExceededError, match="ana .* made no step in 0.5 s"):
        room.train(_line, 5, patience=0.5)  # with nobody else
    caplog.clear()
    asked.clear()
    student("ben")
    assert room.train(build, 20, patience=2.0) == {"ben": 20}
    (told,) = [each.message for each in caplog.records if "takes no part" in each.message]
    assert told.startswith(f"ana ({ana.task}, 127.0.0.1:") and "made no step in 2 s" in told
    woken.set()
    ana._server.handle("run_graph", honest)
    assert eventually(lambda: "ana" in room.train(_line, 10, lambda *told: time.sleep(0.05)))


def test_one_that_has_slept_takes_part_again(
    room: classroom.ClassCluster,
    student: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(classroom, "STAY", 0.1)
    monkeypatch.setattr(classroom, "GONE_AFTER", 1.0)
    ana, made = student("ana", process=True), []
    student("ben")

    def on_step(member: Any, values: Any) -> None:
        made.append(member.name)
        time.sleep(0.02)
        if len(made) == 10:
            ana.send_signal(signal.SIGSTOP)
            threading.Timer(5.0, ana.send_signal, [signal.SIGCONT]).start()

    room.train(_line, 500, on_step, patience=3.0)
    assert "ana" in made[-50:] and not caplog.records


def test_steps_with_feeds(room: classroom.ClassCluster, student: Callable[..., Any]) -> None:
    ana = student("ana")

    def build(member: Any) -> Any:
        x = tf.placeholder(tf.float32, [3])
        total = tf.reduce_sum(x)
        assert total.device == member.device == ana.task
        return lambda session: session.run(total, {x: np.ones(3)})

    seen: list[Any] = []
    assert room.train(build, 3, lambda member, value: seen.append((member.name, value))) == {
        "ana": 3
    }
    assert seen == [("ana", 3.0)] * 3


def test_the_end(room: classroom.ClassCluster, student: Callable[..., Any]) -> None:
    ana, ben = student("ana", process=True), student("ben", process=True)
    ana.send_signal(signal.SIGINT)
    output, _ = ana.communicate(timeout=30)
    assert "It reads none of your files" in output and "has left the class cluster" in output
    assert ana.returncode == 0
    assert eventually(lambda: [member.name for member in room.members] == ["ben"])
    room.close()
    output, _ = ben.communicate(timeout=30)
    assert output.rstrip().endswith(classroom.CLOSED)
    late = student("carl", process=True)
    output, _ = late.communicate(timeout=30)
    assert late.returncode == 1 and "Traceback" not in output


def test_addresses() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="no address by which others reach"):
        tf.cluster.invite("0.0.0.0:0")
    with tf.cluster.invite("127.0.0.2:0") as room:  # "another machine"
        assert room.target.startswith("grpc://127.0.0.2:")
        lent = tf.cluster.join(room.line.split()[-1], ".".join(_key(room)), name="ana")
        assert eventually(lambda: len(room.members) == 1)
        with pytest.raises(tf.errors.UnknownError, match="Could not listen at"):
            tf.cluster.invite(room.target.removeprefix("grpc://"))
        lent.leave()
    with tf.cluster.invite("class.invalid") as room:  # as others know the machine
        host, _, port = room.line.split()[-1].rpartition(":")
        assert host == "class.invalid"
        with tf.cluster.join(f"127.0.0.1:{port}", ".".join(_key(room)), "ana") as lent:
            assert eventually(lambda: len(room.members) == 1)
            with tf.Session(room.target, tf.Graph()) as session:
                with pytest.raises(tf.errors.PermissionDeniedError):
                    _reads_a_file(session, lent.task)


def _reads_a_file(session: tf.Session, device: str) -> None:
    with session.graph.as_default(), tf.device(device):
        session.run(tf.read_file("/etc/hostname"))


def test_without_cryptography(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ImportError, match=r"pip install 'minitf\[classroom\]'"):
        tf.cluster.invite("127.0.0.1")


def test_the_fingerprint_is_the_certificates(room: classroom.ClassCluster) -> None:
    import ssl

    pem = room._authority.papers.certificate
    der = ssl.PEM_cert_to_DER_cert(pem)
    assert _key(room)[2] == hashlib.sha256(der).hexdigest()


def test_a_class_votes_twice(room: classroom.ClassCluster, student: Callable[..., Any]) -> None:
    ana, ben = student("ana"), student("ben")
    with pytest.raises(tf.errors.FailedPreconditionError, match="No question is asked"):
        ana.vote(1)
    votes: list[list[list[int]]] = []
    poll = room.ask("How often?", ["once", "twice"], on_change=lambda: votes.append(poll.counts()))
    assert eventually(lambda: ana.question and ben.question)
    assert (ana.question.text, ana.question.choices) == ("How often?", ["once", "twice"])
    ana.vote(1)
    ben.vote(1)
    ana.vote(2)  # she has changed her mind
    assert poll.counts() == [[1, 1]] and votes == [[[1, 0]], [[2, 0]], [[1, 1]]]
    for choice in (0, 3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            ben.vote(choice)
    first = ben.question
    poll.again()
    with pytest.raises(tf.errors.FailedPreconditionError, match="no longer asked"):
        ben.vote(2, first)
    assert eventually(lambda: ben.question not in (first, None))
    ben.vote(2)
    assert poll.counts() == [[1, 1], [0, 1]]
    poll.close()
    assert eventually(lambda: ben.question is None)
    with pytest.raises(tf.errors.UnauthenticatedError, match="Only members"):
        Channel(
            room.target.removeprefix("grpc://"),
            transport.TransportOptions(_key(room)[0], Papers("", "", _key(room)[2])),
        ).call("vote", {"number": 1, "choice": 0})


def test_a_terminal_votes(room: classroom.ClassCluster) -> None:
    key, *words = room.line.split()
    variable, _, value = key.partition("=")
    ana = subprocess.Popen(
        [sys.executable, *words[1:], "--name", "ana"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", variable: value},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert ana.stdin is not None and ana.stdout is not None
    try:
        poll = room.ask("How often?", ["once", "twice"])
        for line in ana.stdout:
            if "2  twice" in line:
                break
        ana.stdin.write("three\n2\n")
        ana.stdin.flush()
        assert eventually(lambda: poll.counts() == [[0, 1]])
        ana.send_signal(signal.SIGINT)
        told = ana.communicate()[0]
        assert "A number from 1 to 2, please." in told and "You chose 'twice'" in told
        assert told.endswith("This machine has left the class cluster.\n") and ana.returncode == 0
    finally:
        ana.kill()


def test_a_question_is_plain_text(room: classroom.ClassCluster) -> None:
    for text, choices in (
        ("", ["a", "b"]),
        ("\x1b[2J", ["a", "b"]),
        ("Which?", ["a"]),
        ("Which?", ["a", "b\n"]),
        ("Which?", [str(i) for i in range(10)]),
        ("W" * 501, ["a", "b"]),
    ):
        with pytest.raises(ValueError, match="[Aa] question"):
            room.ask(text, choices)
        with pytest.raises(ValueError, match="[Ii]t"):
            voting.Question.read({"text": text, "choices": choices, "number": 1}, "It")

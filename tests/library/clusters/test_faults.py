"""The fault lab: every experiment ends as it says; what is full, slow or frozen is so, and ends."""

import errno
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire.channel import Channel
from minitf.library.formats import file_io
from minitf.library.formats.checkpoint_files import write_checkpoint

faults = tf.cluster.faults
EXPERIMENTS = {each.name: each for each in faults.experiments()}


@pytest.fixture(scope="module")
def cluster() -> Iterator[tf.cluster.TaskCluster]:
    with tf.cluster.start_local(ps=1, workers=1) as cluster:
        yield cluster


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if each.at_least > 5 else name
        for name, each in EXPERIMENTS.items()
    ],
)
def test_an_experiment_ends_as_it_says(cluster: tf.cluster.TaskCluster, name: str) -> None:
    found = EXPERIMENTS[name].run(seed=3, cluster=cluster)
    assert found.as_expected, str(found)
    assert name in str(found) and "as expected" in found._repr_html_()


def test_every_fault_says_what_comes_of_it() -> None:
    assert set(faults.FAULTS) == {"kill", "freeze", "cut", "slow", "fill_disk", "other_version"}
    assert {each.fault for each in EXPERIMENTS.values()} == {*faults.FAULTS, "wrong_address"}
    for name, fault in faults.FAULTS.items():
        assert fault.name == name and fault.does and fault.outcome
        assert getattr(faults, name) is fault.act


def test_a_full_disk_takes_what_fits(tmp_path: Path) -> None:
    faults_of = file_io.set_free_space
    faults_of(tmp_path, 100)
    try:
        with tf.gfile.GFile(str(tmp_path / "a"), "w") as file:
            file.write("x" * 90)
        prefix = str(tmp_path / "deep" / "model")
        with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
            write_checkpoint(prefix, ["x"], [""], [np.zeros(1000)])
        assert not list((tmp_path / "deep").iterdir())
        (tmp_path / "link").symlink_to(tmp_path)
        with pytest.raises(OSError) as caught, file_io.written_aside(str(tmp_path / "link/b")) as f:
            f.write(b"x" * 90)
        assert caught.value.errno == errno.ENOSPC
        with file_io.written_aside(str(tmp_path.parent / f"{tmp_path.name}-other")) as f:
            f.write(b"x" * 1000)  # a neighbour
    finally:
        faults_of(tmp_path, None)
    write_checkpoint(str(tmp_path / "deep" / "model"), ["x"], [""], [np.zeros(1000)])


def test_faults_are_for_those_who_allow_them() -> None:
    server = Server.create_local_server()
    task = faults.Task("/job:local/task:0", server.address)
    with pytest.raises(tf.errors.UnimplementedError, match="no handler 'fault'"):
        faults.cut(task)
    faults.allow(server)
    faults.cut(task)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no fault 'burn'"):
        task.suffer("burn")
    with pytest.raises(tf.errors.InvalidArgumentError, match="'ms' must be a whole number"):
        task.suffer("freeze", ms=-1)
    server.stop()
    with pytest.raises(ValueError, match="has been started"):
        faults.allow(server)


def test_a_slow_link_delays_each_message() -> None:
    server = Server.create_local_server()
    faults.allow(server)
    task = faults.Task("/job:local/task:0", server.address)
    channel = Channel(server.address)
    channel.call("ping")
    try:
        faults.slow(task, latency=0.05)
        start = time.monotonic()
        channel.call("ping")
        # both ends live in this process: four passages of 0.05 s
        assert 0.2 <= time.monotonic() - start < 2.0
    finally:
        faults.slow(task)
    start = time.monotonic()
    channel.call("ping")
    assert time.monotonic() - start < 0.15
    channel.close()
    server.stop()


def test_a_peer_of_another_version_is_told_both() -> None:
    server = Server.create_local_server()
    faults.allow(server)
    task = faults.Task("/job:local/task:0", server.address)
    hello = {"mtf": 2, "nonce": bytes(32), "proof_wanted": False}
    from minitf.core.cluster.wire import handshake

    with pytest.raises(handshake.VersionError, match="version 2 .* this process version 1"):
        handshake.client_answer(hello, None, "peer")
    faults.other_version(task, version=1)  # which changes nothing
    assert Channel(server.address).call("ping")
    server.stop()


def test_a_seed_draws_the_same_faults() -> None:
    tasks = [faults.Task(f"/job:ps/task:{i}", "localhost:1") for i in range(3)]

    def drawn(seed: int) -> list[tuple[str, str, dict]]:
        schedule = faults.Schedule(seed)
        found = [schedule.draw(tasks) for _ in range(30)]
        return [(fault.name, task.name, arguments) for fault, task, arguments in found]

    assert drawn(1) == drawn(1) != drawn(2)
    assert {name for name, _, _ in drawn(1)} == {"kill", "freeze", "cut"}
    assert all(0.2 <= a["seconds"] <= 1.5 for name, _, a in drawn(1) if name == "freeze")


def test_a_schedule_strikes_when_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    suffered = []
    monkeypatch.setattr(
        faults.Task, "suffer", lambda task, what, **fields: suffered.append((task.name, what))
    )
    report = faults.Report()
    tasks = [faults.Task("/job:ps/task:0", "localhost:1", report)]
    schedule = faults.Schedule(seed=4, every=10, steps=60)
    for step in range(60):
        if schedule.due(step):
            schedule.strike(step, tasks)
    assert len(suffered) == 2 and {name for name, _ in suffered} == {"/job:ps/task:0"}
    assert [event[1] for event in report.events] == [what for _, what in suffered]
    schedule.put_off(25)
    assert not schedule.due(29)


def test_a_report_tells_when_and_escapes() -> None:
    report = faults.Report("a <b> title")
    report.note("saw", "/job:ps/task:0", "<script>")
    assert report.since("saw") < 5 and report.since("nothing") == float("inf")
    assert "saw  /job:ps/task:0  <script>" in str(report)
    assert "<script>" not in report._repr_html_() and "&lt;b&gt;" in report._repr_html_()

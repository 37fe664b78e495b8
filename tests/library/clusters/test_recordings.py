"""A run's traffic goes to a file and comes back; what is no recording is refused by its line."""

import gzip
import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import minitf as tf
from minitf.core.cluster.wire.call import Answer
from minitf.core.cluster.wire.traffic import TrafficTap, as_plain
from minitf.library.clusters.snapshots import Imports, TrafficCollector

PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"
LINK = f"{PS}|{WORKER}"
START = 1_000_000.0
LINES: list[dict[str, Any]] = [
    {"format": "minitf recording", "version": 1, "started": START},
    {"at": 0.0, "tasks": [[PS, "a:1", True, 7], [WORKER, "b:2", True, 8]]},
    {"at": 0.2, "counters": {LINK: [2, 300]}},
    {"at": 0.2, "messages": [[1, "W:0", "recv_tensor", PS, WORKER, 200, 0.05, 0.15]]},
    {"at": 0.2, "messages": [[1, "b:0", "recv_tensor", PS, WORKER, 100, 0.05, 0.1]]},
    {"at": 0.3, "mark": {"step": 1, "loss": 0.5, "worst": None}},
    {"at": 1.0, "counters": {LINK: [3, 450]}},
    {"at": 1.0, "messages": [[2, "W:0", "recv_tensor", PS, WORKER, 150, 0.8, 0.9]]},
    {"at": 1.5, "tasks": [[PS, "a:1", False, 7], [WORKER, "b:2", True, 8]]},
    {"at": 2.0, "end": True},
]


def write(path: Path, lines: list[Any]) -> str:
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return str(path)


@pytest.fixture
def recording(tmp_path: Path) -> tf.cluster.Recording:
    return tf.cluster.Recording.load(write(tmp_path / "run.jsonl", LINES))


def test_a_moment_is_a_snapshot(recording: tf.cluster.Recording) -> None:
    assert repr(recording) == "<Recording of 2.0 s: 1 links, 3 messages, 1 marks>"
    early = recording.at(0.12)
    assert early["time"] == START + 0.12
    assert early["counters"] == {}
    assert [event["tensor"] for event in early["events"]] == ["b:0"]
    assert early["events"][0]["end"] == START + 0.1
    assert early["tasks"][0] == {"task": PS, "address": "a:1", "alive": True, "incarnation": 7}
    late = recording.at(1.6)
    assert late["counters"] == {LINK: {"messages": 3, "bytes": 450}}
    assert [event["step"] for event in late["events"]] == [2]  # of the last second
    assert [task["alive"] for task in late["tasks"]] == [False, True]
    assert recording.at(-1.0)["tasks"] == []
    assert recording.at(99.0)["time"] == START + 99.0


def test_messages_between_two_moments(recording: tf.cluster.Recording) -> None:
    assert [e.tensor for e in recording.between(0.1, 0.15)] == ["b:0"]
    assert [e.step for e in recording.between(0.0, 2.0)] == [1, 1, 2]
    assert recording.marks[0][1]["loss"] == 0.5
    assert recording.marks[0][1]["worst"] != recording.marks[0][1]["worst"]  # it was not finite


BROKEN: list[tuple[str, int, Any, str]] = [
    ("no recording", 1, {"format": "notes", "version": 1}, "this is no recording"),
    ("another version", 1, {**LINES[0], "version": 2}, "version 2; this program reads 1"),
    ("no start", 1, {**LINES[0], "started": "now"}, "The time of the start must be a number"),
    ("no JSON", 3, "{", "this is no JSON"),
    ("a list", 3, [1], "a line is an object"),
    ("nested deeply", 3, "[" * 100_000, "this is no JSON"),
    ("not a number", 3, '{"at": NaN, "counters": {}}', "NaN is no number of JSON"),
    ("infinite", 3, '{"at": 1e999, "counters": {}}', "The time 'at' must be a number"),
    ("digits", 3, '{"at": ' + "9" * 5000 + "}", "this is no JSON"),
    ("time goes back", 7, {"at": 0.1, "counters": {}}, "the time goes back, from 0.3 to 0.1"),
    ("unknown line", 3, {"at": 0.2, "code": "import os"}, "a line has one of tasks"),
    ("two things", 3, {"at": 0.2, "end": True, "mark": {}}, "a line has one of tasks"),
    ("a task of three", 2, {"at": 0.0, "tasks": [[PS, "a:1", True]]}, "must have task, address"),
    ("alive is 1", 2, {"at": 0.0, "tasks": [[PS, "a", 1, 7]]}, "'alive' must be true or false"),
    (
        "100,000 tasks",
        2,
        {"at": 0.0, "tasks": [[f"/job:a/task:{i}", "a:1", True, 7] for i in range(100_000)]},
        "a recording has at most 1,500 tasks, this one has 100,000",
    ),
    (
        "200,000 links",
        3,
        {"at": 0.2, "counters": {f"a{i // 500}|b{i % 500}": [1, 1] for i in range(200_000)}},
        "a recording has at most 10,000 links, this one has 200,000",
    ),
    (
        "links of 20,000",
        3,
        {"at": 0.2, "counters": {f"a{i}|b{i}": [1, 1] for i in range(9999)}},
        "tasks, this one has 20,000",
    ),
    ("half a letter in a link", 3, '{"at":0.2,"counters":{"\\ud800|a":[1,1]}}', "text"),
    ("no link", 3, {"at": 0.2, "counters": {"ps": [1, 1]}}, "'source|destination', not 'ps'"),
    ("negative", 3, {"at": 0.2, "counters": {LINK: [-1, 1]}}, "whole number from 0"),
    ("half a byte", 3, {"at": 0.2, "counters": {LINK: [1, 1.5]}}, "whole number from 0"),
    ("short", 4, {"at": 0.2, "messages": [[1, "W:0"]]}, "must have step, tensor"),
    ("backwards", 4, {"at": 0.2, "messages": [[1, "W", "k", PS, PS, 1, 2.0, 1.0]]}, "The end of"),
    (
        "no text",
        4,
        {"at": 0.2, "messages": [[1, 2, "k", PS, PS, 1, 0.0, 1.0]]},
        "'tensor' must be a text",
    ),
    ("half a letter", 4, '{"at":0.2,"messages":[[1,"\\ud800","k","a","b",1,0.0,1.0]]}', "text"),
    ("a mark in words", 6, {"at": 0.3, "mark": {"loss": "small"}}, "'loss' must be a number"),
    ("no end", 10, {"at": 2.0, "end": False}, "The last line is"),
]


@pytest.mark.parametrize(
    "line,instead,complaint", [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN]
)
def test_what_is_wrong_is_refused_by_its_line(
    tmp_path: Path, line: int, instead: Any, complaint: str
) -> None:
    path = write(tmp_path / "run.jsonl", [*LINES[: line - 1], instead, *LINES[line:]])
    with pytest.raises(ValueError) as refused:
        tf.cluster.Recording.load(path)
    assert str(refused.value).startswith(f"{path}, line {line}: ")
    assert complaint in str(refused.value)


def test_cut_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = tf.cluster.Recording.load
    with pytest.raises(ValueError, match="line 10: the recording ends before its end"):
        load(write(tmp_path / "cut.jsonl", LINES[:-1]))
    with pytest.raises(ValueError, match="line 11: there is something after the end"):
        load(write(tmp_path / "more.jsonl", [*LINES, LINES[-1]]))
    with pytest.raises(ValueError, match="line 1: this is no recording"):
        load(write(tmp_path / "empty.jsonl", []))
    whole = Path(write(tmp_path / "whole.jsonl.gz", LINES))
    assert len(load(str(whole)).events) == 3
    (tmp_path / "half.jsonl.gz").write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(ValueError, match="damaged or ends too early"):
        load(str(tmp_path / "half.jsonl.gz"))
    (tmp_path / "plain.jsonl.gz").write_text("{}")
    with pytest.raises(ValueError, match="line 1: the file is damaged"):
        load(str(tmp_path / "plain.jsonl.gz"))
    monkeypatch.setattr("minitf.library.clusters.recordings.LONGEST_LINE", 100)
    with pytest.raises(ValueError, match="line 4: more than 100 bytes"):
        load(str(whole))
    with pytest.raises(OSError):
        load(str(tmp_path / "none.jsonl"))


class Source:
    """A cluster that says the same messages again and again, as the live ones do."""

    def __init__(self) -> None:
        self.looks, self.end = 0, time.time() + 1.0

    def traffic(self) -> dict[str, Any]:
        self.looks += 1
        if self.looks == 2:
            raise OSError("it does not answer")
        now = time.time()
        event = {
            "step": 1, "tensor": "W:0", "kind": "recv_tensor", "source": PS,
            "destination": WORKER, "bytes": 40, "start": self.end - 1.0, "end": self.end,
        }  # fmt: skip
        tasks = [{"task": PS, "address": "a:1", "alive": True, "incarnation": 5}]
        counters = {LINK: {"messages": self.looks, "bytes": 40 * self.looks}}
        return {"tasks": tasks, "counters": counters, "events": [event], "time": now}


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_a_recording_is_written_to_the_side(tmp_path: Path, name: str) -> None:
    path, source = tmp_path / name, Source()
    with tf.cluster.record(source, str(path), interval=0.01) as recorder:
        while source.looks < 5:
            time.sleep(0.005)
        assert not path.exists()
        recorder.mark(step=3, loss=float("inf"))
    recorder.stop()  # once more does nothing
    assert [file.name for file in tmp_path.iterdir()] == [name]
    made = tf.cluster.Recording.load(str(path))
    assert len(made.events) == 1
    assert made.events[0].end + made.started == pytest.approx(source.end)
    assert made.at(made.seconds)["counters"][LINK]["messages"] == source.looks
    assert made.marks[0][1]["step"] == 3 and len(made.tasks) == 1


def test_only_what_tells_of_traffic_is_recorded(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"something with a method traffic\(\), not 7"):
        tf.cluster.record(7, str(tmp_path / "run.jsonl"))
    recorder = tf.cluster.record(SimpleNamespace(traffic=dict), str(tmp_path / "run.jsonl"), 60)
    with pytest.raises(KeyError, match="tasks"):  # no snapshot
        recorder.stop()
    assert not list(tmp_path.iterdir())


def test_every_message_of_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    server = tf.train.Server.create_local_server()
    try:
        path = str(tmp_path / "run.jsonl.gz")
        with tf.Graph().as_default(), tf.Session(server.target) as sess:
            x = tf.placeholder(tf.float32, [None], name="x")
            double = tf.identity(2 * x, name="double")
            server._server.tap.record(1, "old", "ping", PS, WORKER, 8, 1.0, 2.0)
            with tf.cluster.record(server, path):
                for _ in range(300):  # more than a live snapshot shows
                    server._server.tap.record(1, "W", "recv_tensor", PS, WORKER, 8, time.time())
                assert list(sess.run(double, {x: [1.0]})) == [2.0]
        made = tf.cluster.Recording.load(path)
        assert sum(event.tensor == "W" for event in made.events) == 300
        assert all(event.tensor != "old" for event in made.events)
        assert made.at(made.seconds)["counters"][LINK] == {"messages": 301, "bytes": 2408}
        assert made.tasks[0][1][0]["task"] == "/job:local/task:0"
    finally:
        server.stop()


def test_snapshots_of_tasks_add_up() -> None:
    taps = {PS: TrafficTap(), WORKER: TrafficTap()}
    for tap in taps.values():
        for step in range(150):
            tap.record(step, "W:0", "recv_tensor", PS, WORKER, 10, step, step + 0.5)

    def ask(task: str, cursor: int) -> Answer:
        cursor, events = taps[task].drain(cursor)
        told = {"counters": taps[task].counters(), "events": as_plain(events)}
        return Answer({**told, "incarnation": 5, "cursor": cursor}, [])

    snapshot = TrafficCollector(ask).collect([(PS, "localhost:1"), (WORKER, "localhost:2")])
    known = {"alive": True, "incarnation": 5, "waits": []}
    assert snapshot["tasks"] == [
        {"task": PS, "address": "localhost:1", **known},
        {"task": WORKER, "address": "localhost:2", **known},
    ]
    assert snapshot["counters"] == {f"{PS}|{WORKER}": {"messages": 300, "bytes": 3000}}
    assert len(snapshot["events"]) == 200
    ends = [event["end"] for event in snapshot["events"]]
    assert ends == sorted(ends)
    assert abs(snapshot["time"] - time.time()) < 5


def test_a_process_tells_what_it_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "long_to_import"
    package.mkdir()
    (package / "__init__.py").write_text("import long_to_import.part\n")
    (package / "part.py").write_text("import time\ntime.sleep(1.0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    imports = Imports()
    assert imports() == []
    thread = threading.Thread(target=lambda: __import__("long_to_import"))
    thread.start()
    seen = []
    while thread.is_alive():
        seen += imports()
        time.sleep(0.05)
    assert {(each["type"], each["node"]) for each in seen} == {("import", "long_to_import")}
    assert seen[0]["seconds"] == 0.0 and 0.3 < seen[-1]["seconds"] < 5.0
    assert imports() == []

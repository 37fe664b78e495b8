"""TrafficView without a browser: snapshots checked and packed, rates, picture, thread, messages."""

from __future__ import annotations

import json
import pathlib
import threading
import time
import types
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

pytest.importorskip("anywidget")

from minitf_widgets.chart import format_bytes  # noqa: E402
from minitf_widgets.traffic.history import MOST_ROWS, History  # noqa: E402
from minitf_widgets.traffic.layout import WIDTH, lay_out  # noqa: E402
from minitf_widgets.traffic.picture import lane_width, traffic_svg  # noqa: E402
from minitf_widgets.traffic.view import TrafficView  # noqa: E402
from minitf_widgets.traffic.wire import (  # noqa: E402
    FreshEvents,
    clean_snapshot,
    explain_waits,  # noqa: E402
    pack_tick,
    unpack_tick,
)

import minitf as tf  # noqa: E402

FIXTURES = pathlib.Path(__file__).parents[2] / "widgets" / "test"
PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"


def snapshot(time: float = 1.0, messages: int = 3, **more: Any) -> dict[str, Any]:
    return {
        "time": time,
        "tasks": [
            {"task": PS, "address": "127.0.0.1:1", "alive": True, "incarnation": 2**70},
            {"task": WORKER, "address": "127.0.0.1:2", "alive": True, "incarnation": 5},
        ],
        "counters": {f"{PS}|{WORKER}": {"messages": messages, "bytes": 1000 * messages}},
        "events": [event(start=time)],
        **more,
    }


def event(**more: Any) -> dict[str, Any]:
    return {
        "step": 1,
        "tensor": "W/read:0",
        "kind": "recv_tensor",
        "source": PS,
        "destination": WORKER,
        "bytes": 1000,
        "start": 1.0,
        "end": 1.5,
        **more,
    }


class Recorder:
    """A TrafficView's sent messages, instead of a front end."""

    def __init__(self, view: TrafficView):
        self.sent: list[dict[str, Any]] = []
        view.send = self.sent.append  # type: ignore[method-assign]


def unpack_all(stream: str) -> list[dict[str, Any]]:
    return [unpack_tick(line) for line in stream.split("\n")]


def wait_until(condition: Any, seconds: float = 3.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not become true in time"
        time.sleep(0.01)


@pytest.fixture
def watch():
    """Makes TrafficViews and closes them at the end."""
    views = []

    def make(source: Any, **options: Any) -> TrafficView:
        views.append(TrafficView(source, **options))
        return views[-1]

    yield make
    for view in views:
        view.close()


def test_the_packed_text_is_that_the_page_reads() -> None:
    recorded = json.loads((FIXTURES / "traffic-tick.json").read_text(encoding="utf-8"))
    tick = clean_snapshot(recorded["snapshot"])
    assert tick["waits"] == recorded["waits"]
    tick["marks"] = [tuple(mark) for mark in recorded["marks"]]
    assert pack_tick(tick) == recorded["packed"]
    assert unpack_tick(pack_tick(tick)) == tick


def test_a_thousand_events_take_some_50_letters_each() -> None:
    start = 1_700_000_000.1234567
    events = [event(start=start + i, end=start + i + 1e-4) for i in range(1000)]
    many = pack_tick(clean_snapshot(snapshot(start, events=events)))
    none = pack_tick(clean_snapshot(snapshot(start, events=[])))
    assert len(many) - len(none) < 50_000


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), 0.1])
def test_every_number_of_the_training_comes_through(value: float) -> None:
    tick = {**clean_snapshot(snapshot()), "marks": [(1.0, "loss", value)]}
    assert str(unpack_tick(pack_tick(tick))["marks"]) == str(tick["marks"])


def test_events_may_be_objects_and_numbers_stay_exact() -> None:
    as_object = types.SimpleNamespace(**event(step=2**60))
    tick = clean_snapshot(snapshot(events=[as_object]))
    assert tick["events"] == [event(step=2**60)]
    assert tick["tasks"][0]["incarnation"] == str(2**70)
    assert unpack_tick(pack_tick(tick)) == tick


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        ({"time": 1.0}, "A traffic snapshot lacks 'tasks'."),
        (snapshot(events=[{"step": 1}]), "A traffic snapshot lacks 'tensor'."),
        (snapshot(counters={"ps": {}}), "A traffic counter is named 'source|destination', not"),
        (snapshot(events=[3]), "A traffic snapshot cannot be read: "),
        (None, "A traffic snapshot cannot be read: "),
    ],
)
def test_what_is_no_snapshot_is_named(broken: Any, text: str) -> None:
    with pytest.raises(ValueError) as caught:
        clean_snapshot(broken)
    assert str(caught.value).startswith(text)


def test_an_event_is_let_through_once() -> None:
    fresh = FreshEvents(capacity=3)
    first, second = event(start=2.0), event(start=1.0)
    assert fresh([first, second]) == [second, first]
    assert fresh([first, second, event(start=3.0)]) == [event(start=3.0)]
    assert fresh([event(start=4.0)]) == [event(start=4.0)]
    assert fresh([first]) == [first]  # forgotten: memory is bounded


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1536, "1.54 kB"), (999_950, "1.00 MB"), (12_345_678, "12.3 MB")]
)
def test_sizes_in_words(size: int, text: str) -> None:
    assert format_bytes(size) == text


@pytest.mark.parametrize(("servers", "workers"), [(1, 1), (4, 16), (12, 30), (20, 64)])
def test_no_task_leaves_the_picture_or_hides_another(servers: int, workers: int) -> None:
    tasks = [f"/job:worker/task:{i}" for i in range(workers)] + ["client", "/job:chief/task:0"]
    boxes = lay_out(tasks + [f"/job:ps/task:{i}" for i in range(servers)], ()).boxes
    assert len({(box.x, box.y) for box in boxes.values()}) == servers + workers + 2
    assert all(0 <= box.x and box.x + box.width <= 860 for box in boxes.values())
    assert min(box.width for box in boxes.values()) >= 42
    tops = [box.y for box in boxes.values()]
    assert boxes[PS].y == min(tops) < boxes[WORKER].y < boxes["client"].y == max(tops)
    assert boxes["/job:chief/task:0"].y == boxes[WORKER].y
    assert [box.x for box in boxes.values() if box.y == boxes[PS].y] == sorted(
        box.x for box in boxes.values() if box.y == boxes[PS].y
    )


def on_curve(curve: list[tuple[float, float]], parts: int = 20) -> list[tuple[float, float]]:
    """Points of a cubic Bezier curve."""
    found = []
    for t in (k / parts for k in range(parts + 1)):
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
        pairs = list(zip(weights, curve, strict=True))
        found.append((sum(w * p[0] for w, p in pairs), sum(w * p[1] for w, p in pairs)))
    return found


def test_lanes_go_from_edge_to_edge_between_the_boxes() -> None:
    servers, workers = ([f"/job:{job}/task:{i}" for i in range(3)] for job in ("ps", "worker"))
    links = [f"{workers[0]}|{workers[2]}", f"{workers[2]}|{workers[0]}", f"client|{WORKER}"]
    layout = lay_out([*workers, "client", *servers], [*links, f"{PS}|{PS}"])
    expected = {f"{a}|{b}" for a in servers for b in workers}
    assert layout.lanes.keys() == expected | {f"{b}|{a}" for a in servers for b in workers} | {
        *links
    }
    for link, curve in layout.lanes.items():
        source, destination = (layout.boxes[end] for end in link.split("|"))
        for (x, y), box in ((curve[0], source), (curve[-1], destination)):
            assert box.x <= x <= box.x + box.width and y in (box.y, box.y + box.height)
        for x, y in on_curve(curve):
            assert 0 <= x <= WIDTH and 0 <= y <= layout.height
            inside = [b for b in layout.boxes.values() if b.x < x < b.x + b.width]
            assert not [box for box in inside if box.y + 1 < y < box.y + box.height - 1]
    there, back = layout.lanes[f"{PS}|{WORKER}"], layout.lanes[f"{WORKER}|{PS}"]
    assert there[0][0] == pytest.approx(back[-1][0] - 11)
    over, under = layout.lanes[links[0]], layout.lanes[links[1]]
    assert abs(over[1][1] - under[1][1]) == pytest.approx(22)


def test_links_that_are_to_come_are_drawn_where_they_are_few(watch) -> None:
    view = watch(lambda: snapshot(counters={}))
    wait_until(lambda: view.places["boxes"])
    assert [*view.places["lanes"]] == [f"{PS}|{WORKER}", f"{WORKER}|{PS}"]
    many = [f"/job:worker/task:{i}" for i in range(101)]
    assert lay_out([PS, *many], [f"{PS}|{WORKER}"]).lanes.keys() == {f"{PS}|{WORKER}"}


def test_lanes_grow_with_the_logarithm_of_what_they_carried() -> None:
    assert [lane_width(size, 1e6) for size in (0, 100, 1e5, 1e6)] == [1.5, 1.5, 5.5, 7.0]
    assert lane_width(0, 0) == 7.0


def test_the_picture_keeps_the_totals_when_the_traffic_is_over() -> None:
    back = f"{WORKER}|{PS}"
    counters = {
        f"{PS}|{WORKER}": {"messages": 1200, "bytes": 12_000_000},
        back: {"messages": 30, "bytes": 3_000},
    }
    tick = clean_snapshot(snapshot(100.0, counters=counters))
    root = ElementTree.fromstring(traffic_svg(tick))
    texts = [node.text for node in root.iter() if node.text]
    assert texts.count("in 12.0 MB") == texts.count("out 12.0 MB") == 1
    assert texts.count("in 3.00 kB") == texts.count("out 3.00 kB") == 1
    assert "worker 0 to ps 0: 30 messages, 3.00 kB" in texts
    assert not [text for text in texts if "/s" in text]
    widths = [
        float(node.get("stroke-width"))
        for node in root.iter("{http://www.w3.org/2000/svg}path")
        if node.get("fill") == "none" and "C" in node.get("d")
    ]
    assert sorted(widths) == pytest.approx([1.6, 7.0], abs=0.01)


def test_the_picture_shows_totals_and_dead_tasks_and_escapes_names() -> None:
    tick = clean_snapshot(snapshot(counters={f"<b>|{PS}": {"messages": 1234, "bytes": 5000}}))
    tick["tasks"][1]["alive"] = False
    svg = traffic_svg(tick)
    texts = [node.text for node in ElementTree.fromstring(svg).iter() if node.text]
    assert "1,234 messages, 5.00 kB in all" in texts
    assert "✕ dead" in texts
    assert "<b>" in texts
    assert "No tasks yet" in traffic_svg(None)


def test_a_view_pulls_sends_and_tells(watch) -> None:
    view = watch(lambda: snapshot())
    wait_until(lambda: view.counters)
    assert view.counters == {f"{PS}|{WORKER}": {"messages": 3, "bytes": 3000}}
    assert [task["task"] for task in view.tasks] == [PS, WORKER]
    assert view.to_text().splitlines() == [
        "Traffic between 2 tasks: 3 messages, 3.00 kB.",
        "ps 0 -> worker 0: 3 messages, 3.00 kB",
    ]
    assert repr(view) == "<TrafficView: Traffic between 2 tasks: 3 messages, 3.00 kB.>"
    assert "3 messages, 3.00 kB in all" in view.to_svg()


def test_the_source_is_anything_with_traffic_and_asked_at_most_five_times_a_second(watch) -> None:
    class Cluster:
        asked = 0

        def traffic(self) -> dict[str, Any]:
            self.asked += 1
            return snapshot(float(self.asked), self.asked)

    cluster = Cluster()
    view = watch(cluster)
    recorder = Recorder(view)
    time.sleep(1.0)
    assert 2 <= cluster.asked <= 6
    numbers = [content["sequence"] for content in recorder.sent]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    with pytest.raises(TypeError, match="needs a source with a method traffic"):
        TrafficView(3)
    with pytest.raises(ValueError, match="at most 5 snapshots a second"):
        TrafficView(cluster, rate=6)


def test_pausing_pulls_nothing_and_stopping_ends_the_thread(watch) -> None:
    asked = []
    view = watch(lambda: asked.append(1) or snapshot())
    wait_until(lambda: asked)
    view.paused = True
    time.sleep(0.3)
    count = len(asked)
    time.sleep(0.5)
    assert len(asked) == count
    view.paused = False
    wait_until(lambda: len(asked) > count)
    view.stop()
    assert view.status == "stopped"
    count = len(asked)
    time.sleep(0.4)
    assert len(asked) == count
    view.start()
    wait_until(lambda: len(asked) > count and view.status == "live")
    view.close()
    wait_until(lambda: not [t for t in threading.enumerate() if t.name == "traffic-view"])


def test_a_source_that_fails_is_shown_and_asked_again(watch) -> None:
    broken = threading.Event()
    broken.set()

    def source() -> dict[str, Any]:
        if broken.is_set():
            raise OSError("connection refused")
        return snapshot()

    view = watch(source)
    wait_until(lambda: view.status == "silent")
    assert view.problem == "OSError: connection refused"
    assert view.to_text() == "Traffic between tasks: no snapshot yet."
    broken.clear()
    wait_until(lambda: view.status == "live" and view.counters)
    assert view.problem == ""


def test_a_page_that_comes_before_the_first_snapshot_is_told_so(watch) -> None:
    ready = threading.Event()

    def source() -> dict[str, Any]:
        ready.wait(3)
        return snapshot()

    view = watch(source)
    recorder = Recorder(view)
    view._handle_custom_msg({"type": "hello"}, [])
    assert recorder.sent == [{"type": "nothing"}]
    ready.set()


@pytest.mark.slow
def test_a_real_cluster_is_shown_with_its_exact_totals(watch) -> None:
    pytest.importorskip("distributed")
    from minitf.cluster import start_local

    import minitf as tf

    with start_local(ps=1, workers=1) as cluster, tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.get_variable("w", [1000], initializer=tf.zeros_initializer())
        with tf.device("/job:worker/task:0"):
            step = tf.assign_add(w, w * 0.5 + 1.0)
        view = watch(cluster)
        recorder = Recorder(view)
        with tf.Session(cluster.target()) as session:
            session.run(w.initializer)
            for _ in range(50):
                session.run(step.op)
        time.sleep(0.5)  # two looks later everything is counted
        view.stop()
        assert view.counters == cluster.traffic()["counters"]
        assert view.counters[f"{PS}|{WORKER}"]["bytes"] > 50 * 4000
        assert {task["task"]: task["alive"] for task in view.tasks} == {PS: True, WORKER: True}
        assert "w/read:0" in "".join(content["tick"] for content in recorder.sent)


def test_a_recording_is_scrubbed_and_its_page_needs_no_kernel(
    watch, tmp_path: pathlib.Path
) -> None:
    lines = [
        {"format": "minitf recording", "version": 1, "started": 1000.0},
        {"at": 0.0, "tasks": [[PS, "a:1", True, 7], [WORKER, "b:2", True, 8]]},
        {"at": 0.5, "counters": {f"{PS}|{WORKER}": [1, 400]}},
        {"at": 0.5, "messages": [[1, "W/read:0", "recv_tensor", PS, WORKER, 400, 0.1, 0.4]]},
        {"at": 0.7, "mark": {"loss": 2.5}},
        {"at": 9.0, "end": True},
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    counted = {f"{PS}|{WORKER}": {"messages": 1, "bytes": 400}}
    for source in (tf.cluster.Recording.load(str(path)), str(path), path):
        view = watch(source)
        assert (view.status, view.counters) == ("recorded", {})
        assert view.position == 0.1, "it begins with the first message"
        assert [task["task"] for task in view.tasks] == [PS, WORKER]
        view.position = 0.6
        assert view.counters == counted
        view.position = 0.2
        assert view.counters == {}
        view.position = 9.0
        assert view.counters == counted
        assert "1 messages, 400 B in all" in view.to_svg()
        ticks = unpack_all(view.stored)
        assert [e for tick in ticks for e in tick["events"]] == [
            event(bytes=400, start=1000.1, end=1000.4)
        ]
        assert [mark for tick in ticks for mark in tick["marks"]] == [(1000.7, "loss", 2.5)]
        assert ticks[-1]["counters"] == counted
    with pytest.raises(ValueError, match="this is no JSON"):
        TrafficView(FIXTURES / "traffic-tick.json")


def recorded(path: pathlib.Path, tasks: list[str], links: list[str], end: float) -> str:
    lines: list[dict[str, Any]] = [
        {"format": "minitf recording", "version": 1, "started": 1000.0},
        {"at": 0.0, "tasks": [[task, "a:1", True, 7] for task in tasks]},
        {"at": 0.5, "counters": {link: [1, i] for i, link in enumerate(links)}},
        {"at": end, "end": True},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_a_long_recording_is_shown_in_few_moments(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    at = tf.cluster.Recording.at
    monkeypatch.setattr(
        tf.cluster.Recording, "at", lambda self, now: (looks.append(now), at(self, now))[1]
    )
    for count, end in ((2, 1e11), (300, 1e5)):
        tasks = [f"/job:worker/task:{i}" for i in range(count)]
        path = recorded(tmp_path / "run.jsonl", tasks, [f"{tasks[0]}|{tasks[1]}"], end)
        looks.clear()
        view = TrafficView(path)
        assert len(looks) * count < 2 * MOST_ROWS
        assert view.told == f"shows one moment in {looks[2]:.3g} s: it is long"
        view.position = end
        assert view.counters == {f"{tasks[0]}|{tasks[1]}": {"messages": 1, "bytes": 0}}
    short = TrafficView(recorded(tmp_path / "short.jsonl", [PS], [], 2.0))
    assert short.told == ""


def test_the_static_picture_has_the_widest_lanes_of_many(tmp_path: pathlib.Path) -> None:
    tasks = [f"/job:worker/task:{i}" for i in range(1000)]
    links = [f"{a}|{b}" for a in tasks[:100] for b in tasks[900:]]
    svg = TrafficView(recorded(tmp_path / "run.jsonl", tasks, links, 2.0)).to_svg()
    assert svg.count("<title>") == 1000
    assert "9,000 links that carried less are left out" in svg
    assert "worker 99 to worker 999: 1 messages, 10.0 kB" in svg
    assert "worker 0 to worker 900:" not in svg


def moving(count: int, size: int = 1) -> Any:
    """A source that tells of one message more each time."""
    state = {"n": 0}

    def read() -> dict[str, Any]:
        n = state["n"] = min(state["n"] + 1, count)
        at = 1000.0 + 0.2 * n
        events = [event(start=at - 0.01 * i, end=at, step=n) for i in range(size)]
        return snapshot(at, n, events=events)

    return read


def test_what_was_seen_is_saved_and_replayed_with_the_same_totals(watch, tmp_path) -> None:
    view = watch(moving(4))
    view.plot(3, loss=1.25, accuracy=float("nan"))
    wait_until(lambda: view.counters.get(f"{PS}|{WORKER}", {}).get("messages") == 4)
    view.stop()
    path = tmp_path / "seen.jsonl.gz"
    view.save(path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    again = watch(path)
    again.position = 1e9
    assert again.counters == view.counters
    assert again.tasks[0]["task"] == view.tasks[0]["task"]
    recording = tf.cluster.Recording.load(str(path))
    assert len(recording.events) == 4
    (step, loss, accuracy) = [mark for _, mark in recording.marks]
    assert (step, loss) == ({"step": 3.0}, {"loss": 1.25}) and accuracy["accuracy"] != 0
    with pytest.raises(ValueError, match="nothing to save"):
        watch(lambda: 1 / 0).save(path)


def test_looking_back_shows_the_counters_of_then_while_more_is_seen(watch) -> None:
    view = watch(moving(8))
    link = f"{PS}|{WORKER}"
    wait_until(lambda: view.counters.get(link, {}).get("messages", 0) >= 3)
    view.position = 0.2
    assert view.counters[link]["messages"] == 2
    time.sleep(0.5)
    assert view.counters[link]["messages"] == 2
    view.position = None
    wait_until(lambda: view.counters[link]["messages"] == 8)


def test_the_memory_of_a_view_is_bounded() -> None:
    history = History(memory=20_000)
    read = moving(500, size=4)
    for _ in range(500):
        history.append(clean_snapshot(read()))
    assert len(history.stream()) < 21_000
    assert history.at(0.0)["counters"][f"{PS}|{WORKER}"]["messages"] > 400
    assert history.at(1e12)["counters"][f"{PS}|{WORKER}"]["messages"] == 500
    size = len(history.stream())
    idle = {**clean_snapshot(read()), "events": []}
    for _ in range(50):
        history.append(idle)  # nothing moves: nothing is kept
    assert len(history.stream()) <= size + 1000


def test_a_page_that_comes_late_gets_all_that_was_seen(watch) -> None:
    view = watch(moving(3))
    wait_until(lambda: view.counters.get(f"{PS}|{WORKER}", {}).get("messages") == 3)
    view.stop()
    recorder = Recorder(view)
    view._handle_custom_msg({"type": "hello"}, [])
    (content,) = recorder.sent
    assert content["type"] == "history"
    assert content["began"] == 1000.2
    assert [tick["time"] for tick in unpack_all(content["ticks"])] == [1000.2, 1000.4, 1000.6]


def test_watched_numbers_are_asked_in_the_views_thread(watch) -> None:
    threads = []
    view = watch(moving(1000))
    view.watch(loss=lambda: threads.append(threading.current_thread().name) or 0.5)
    view.watch(broken=lambda: 1 / 0)
    wait_until(lambda: threads and view.told)
    assert set(threads) == {"traffic-view"}
    assert view.told == "broken cannot be read: division by zero"
    wait_until(lambda: any(t["marks"] for t in unpack_all(view._history.stream())))


def line(step: str, node: str, type: str, of: str = "", seconds: float = 35.0) -> dict[str, Any]:
    return {"step": step, "node": node, "type": type, "of": of, "seconds": seconds}


def test_waits_are_followed_to_their_cause() -> None:
    take = line("7", "sync_token_q_Dequeue", "QueueDequeueV2")
    tasks = {
        PS: [take, line("9", "", "", seconds=2.0)],
        WORKER: [line("7", "sync_token_q_Dequeue:0", "_Recv", PS), line("7", "", "run_graph", PS)],
        "/job:worker/task:1": [line("9", "", "run_graph", PS, 2.0)],
        "/job:worker/task:2": [line("8", "loss:0", "_Recv", "/job:gone/task:0")],
        "/job:worker/task:3": [],
    }
    waits = explain_waits(tasks)
    assert waits.pop(1) == {"task": PS, "what": "ps 0", "text": "computes", "seconds": 2.0}
    told = {wait["task"]: (wait["what"], wait["text"]) for wait in waits}
    name = "sync_token_q_Dequeue"
    assert told == {
        PS: (name, f"waits in {name}: the queue is empty"),
        WORKER: (name, f"waits for {name} on ps 0: the queue is empty"),
        "/job:worker/task:1": ("ps 0", "waits while ps 0 computes"),
        "/job:worker/task:2": ("loss", "waits for loss of gone 0"),
    }
    circle = {"a": [line("1", "x:0", "_Recv", "b")], "b": [line("1", "y:0", "_Recv", "a")]}
    assert [wait["text"] for wait in explain_waits(circle)] == [
        "waits for y of a",
        "waits for x of b",
    ]


def test_what_tasks_do_before_the_first_step_is_told() -> None:
    imports = line("0", "sklearn", "import", seconds=4.0)
    asks = line("0", "", "report_uninitialized_variables", seconds=3.0)
    told = explain_waits({PS: [], WORKER: [imports], "/job:worker/task:1": [asks]})
    assert [(wait["what"], wait["text"]) for wait in told] == [
        ("sklearn", "imports sklearn"),
        ("the variables", "waits for the variables: another task initializes them"),
    ]


def test_the_static_picture_and_the_text_tell_who_waits(watch) -> None:
    waiting = snapshot()
    waiting["tasks"][0]["waits"] = [line("7", "<take>", "QueueDequeueV2")]
    view = watch(lambda: waiting)
    wait_until(lambda: view.waits)
    view.stop()
    assert "ps 0 waits in <take>: the queue is empty, for 35 s" in view.to_text()
    texts = [node.text for node in ElementTree.fromstring(view.to_svg()).iter() if node.text]
    assert "ps 0 waits in <take>: the queue is empty, for 35 s" in texts


def test_actions_are_what_the_caller_has_handed_in(watch) -> None:
    done: list[Any] = []
    faults = types.SimpleNamespace(
        tasks=lambda cluster: {PS: "the task"},
        kill=lambda task: done.append(("kill", task)),
        slow=lambda task, latency=0.0, bandwidth=0.0: done.append(("slow", task, latency)),
    )
    source = lambda: snapshot()  # noqa: E731
    view = watch(source, faults=faults, actions={"start": lambda task: done.append(task)})
    assert view.abilities == ["kill", "throttle", "full speed", "start"]
    view._handle_custom_msg({"type": "act", "name": "kill", "task": PS}, [])
    wait_until(lambda: view.told == "ps 0 was killed")
    view._handle_custom_msg({"type": "act", "name": "throttle", "task": PS}, [])
    wait_until(lambda: len(done) == 2)
    view._handle_custom_msg({"type": "act", "name": "start", "task": WORKER}, [])
    wait_until(lambda: view.told == "worker 0: start done")
    view._handle_custom_msg({"type": "act", "name": "format", "task": WORKER}, [])
    view._handle_custom_msg({"type": "act"}, [])
    assert done == [("kill", "the task"), ("slow", "the task", 0.05), WORKER]
    view._handle_custom_msg({"type": "act", "name": "kill", "task": WORKER}, [])
    wait_until(lambda: view.told.startswith("worker 0: kill failed"))
    assert watch(source).abilities == []


def test_a_cluster_that_can_grow_has_a_button_for_it(watch) -> None:
    source = types.SimpleNamespace(
        traffic=lambda: snapshot(), add_worker=lambda: "/job:worker/task:2"
    )
    view = watch(source)
    assert (view.abilities, view.additions) == ([], ["add a worker"])
    view._handle_custom_msg({"type": "act", "name": "add a worker", "task": ""}, [])
    wait_until(lambda: view.told == "worker 2 is there")
    assert watch(lambda: snapshot()).additions == []


def test_the_record_button_writes_a_file(watch, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    view = watch(moving(1000))
    wait_until(lambda: view.counters)
    view.recording = True
    time.sleep(0.5)
    view.recording = False
    (path,) = tmp_path.iterdir()
    assert view.told == f"saved as {path.name}"
    assert tf.cluster.Recording.load(str(path)).seconds > 0


def test_a_target_opens_the_cluster_that_listens_there(watch) -> None:
    pytest.importorskip("distributed")
    spec = tf.train.ClusterSpec({"ps": ["inproc://view-ps"]})
    server = tf.train.Server(spec, "ps", 0, protocol="inproc")
    view = watch(server.target)
    wait_until(lambda: view.tasks)
    assert view.tasks[0]["task"] == PS
    server.stop()

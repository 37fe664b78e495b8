"""A run read as lanes and bars: who waited for whom, and what the picture and the texts say."""

from __future__ import annotations

import json
import time
from xml.etree import ElementTree

import numpy as np
import pytest
from minitf_widgets import GraphView, TimelineView
from minitf_widgets.timeline.steps import read_steps

import minitf as tf

DEVICE = "/job:localhost/replica:0/task:0/device:GPU:{}"


@pytest.fixture
def two_gpus():
    tf.simulate_gpus(2)
    yield
    tf.simulate_gpus(0)


def op(name, start, length, inputs="", kind="MatMul", size=0, thread=1):
    label = f"{name} = {kind}({inputs})"
    return {
        "node_name": name, "op": kind, "all_start_micros": start, "op_start_rel_micros": 0,
        "op_end_rel_micros": length, "all_end_rel_micros": length, "timeline_label": label,
        "output_bytes": size, "thread_id": thread,
    }  # fmt: skip


def two_devices():
    """a on GPU:0 is sent to b on GPU:1; s stands after the sending and decides nothing."""
    first = [
        op("a", 1000, 50),
        op("_send_a_0_to_0", 1050, 5, "a", "_Send", 64),
        op("s", 1060, 10, "a"),
    ]
    second = [
        op("_recv_a_0_to_0", 1000, 60, "", "_Recv", 64),
        op("_recv_k_0_to_1", 1060, 1, "", "_Recv"),
        op("b", 1061, 100, "_recv_a_0_to_0"),
    ]
    devices = [(0, first), (1, second)]
    stats = [{"device": DEVICE.format(k), "node_stats": nodes} for k, nodes in devices]
    return {"step_stats": {"dev_stats": stats}}


def bars_of(metadata):
    (step,) = read_steps([metadata["step_stats"]])
    return step, {bar.name: bar for bar in step.bars}


def test_what_each_operation_waited_for():
    step, bars = bars_of(two_devices())
    names = [bar.name for bar in step.bars]
    before = {bar.name: names[bar.waited] for bar in step.bars if bar.waited >= 0}
    assert before == {
        "_send_a_0_to_0": "a",
        "s": "_send_a_0_to_0",
        "_recv_a_0_to_0": "_send_a_0_to_0",
        "_recv_k_0_to_1": "_recv_a_0_to_0",
        "b": "_recv_k_0_to_1",
    }
    assert bars["_recv_a_0_to_0"].why == "transfer"
    assert bars["s"].why == "turn"
    assert [bar.name for bar in step.bars if not bar.critical] == ["s"]
    assert bars["_recv_a_0_to_0"].node == bars["_send_a_0_to_0"].node == "a"


def test_lanes_times_and_transfers():
    step, _ = bars_of(two_devices())
    assert [lane.label for lane in step.lanes] == ["GPU:0", "GPU:1"]
    assert [lane.busy for lane in step.lanes] == [65, 100]  # waiting is not work
    assert step.length == 161
    assert [(step.bars[a].name, step.bars[b].name, size) for a, b, size in step.arrows] == [
        ("_send_a_0_to_0", "_recv_a_0_to_0", 64)
    ]
    assert [row["name"] for row in step.slowest()] == ["b", "a", "s", "_send_a_0_to_0"]


def test_what_arrives_together_was_waited_for_together():
    metadata = two_devices()
    first, second = (d["node_stats"] for d in metadata["step_stats"]["dev_stats"])
    first.insert(2, op("_send_k_0_to_1", 1056, 4, "k", "_Send"))
    _, bars = bars_of(metadata)
    step, _ = bars_of(metadata)
    assert step.bars[bars["_recv_a_0_to_0"].waited].name == "_send_k_0_to_1"
    assert [step.bars[a].name for a, *_ in step.arrows] == ["_send_a_0_to_0", "_send_k_0_to_1"]


def test_a_real_run_of_two_devices(two_gpus):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 8], name="x")
        with tf.device("/gpu:0"):
            h = tf.nn.relu(x, name="h")
        with tf.device("/gpu:1"):
            y = tf.reduce_sum(h, name="y")
        view = TimelineView.of(sess, y, {x: np.ones((4, 8))}, steps=2)
        assert len(view.steps) == 2
        assert [lane["simulated"] for lane in view.steps[0]["lanes"]] == [True, True]
        assert "on 2 lanes, 1 transfer" in view.to_text()
        assert "h (Relu) on GPU:0" in view.to_text()
        graph = GraphView(sess.graph)
        view.link(graph)
        view.selected = "h"
        assert graph.selected == "h"
        graph.selected = "y"
        assert view.selected == "y"
        view.step = 7
        assert view.step == 1  # the last there is
        assert view.to_text().startswith("Step 2 of 2")


def test_the_input_pipeline_stands_beside_the_step():
    def slow(value):
        time.sleep(0.002)
        return value

    with tf.Graph().as_default(), tf.Session() as sess:
        data = tf.data.Dataset.range(100)
        data = data.map(lambda v: tf.py_func(slow, [v], tf.int64), num_parallel_calls=2)
        element = data.prefetch(2).make_one_shot_iterator().get_next()
        view = TimelineView.of(sess, element * 2, steps=3)
    labels = [lane["label"] for lane in view.steps[0]["lanes"]]
    assert "input: prefetch 1" in labels
    assert "input: map 1" in labels
    pipeline = [bar for step in view.steps for bar in step["bars"] if bar[6] == "pipeline"]
    assert pipeline
    assert all(start >= 0 and not node for _, start, _, _, _, node, *_ in pipeline)


def test_steps_share_their_lanes():
    one, two = two_devices(), two_devices()
    del two["step_stats"]["dev_stats"][0]
    view = TimelineView([one, two])
    assert [lane["label"] for lane in view.steps[1]["lanes"]] == ["GPU:0", "GPU:1"]
    assert view.steps[1]["lanes"][0]["busy"] == 0


def test_the_chrome_trace_is_that_of_the_timeline(tmp_path):
    view = TimelineView(two_devices())
    events = json.loads(view.chrome_trace())["traceEvents"]
    runs = {event["args"]["name"]: event["dur"] for event in events if event["ph"] == "X"}
    assert runs["b"] == 100


@pytest.mark.parametrize("color_by", ["kind", "device"])
def test_the_picture_stands_alone_and_shows_hostile_names_as_text(color_by):
    metadata = two_devices()
    evil = '"><script>alert(1)</script>'
    metadata["step_stats"]["dev_stats"][1]["node_stats"][2].update(node_name=evil, op=evil)
    view = TimelineView(metadata, color_by=color_by)
    root = ElementTree.fromstring(view.to_svg())
    assert not [e for e in root.iter() if e.tag.endswith("script")]
    assert evil in "".join(root.itertext())


def test_a_run_without_a_trace_is_refused():
    with pytest.raises(ValueError, match="Run 0 was not traced"):
        TimelineView(tf.RunMetadata())
    with pytest.raises(TypeError, match="a RunMetadata is needed"):
        TimelineView(7)


def test_a_run_in_which_nothing_was_computed_is_an_empty_lane():
    with tf.Graph().as_default(), tf.Session() as sess:
        view = TimelineView.of(sess, tf.constant(1.0))
    assert view.to_text().startswith("0 operations")
    assert ElementTree.fromstring(view.to_svg()) is not None

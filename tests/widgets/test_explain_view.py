"""The passes of a plan and placements tried: what the page is given, and what stays as it was."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from minitf_widgets import ExplainView, GraphView
from minitf_widgets.plan.passes import box_fates
from minitf_widgets.plan.placing import device_function, predicted
from minitf_widgets.timeline.steps import read_steps

import minitf as tf


@pytest.fixture
def model():
    """A session on two simulated GPUs: fetches, a feed, and a variable that a step changes."""
    tf.simulate_gpus(2)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 64], name="x")
        with tf.device("/gpu:0"):
            w = tf.get_variable("w", [64, 64])
            h = tf.matmul(x, w, name="h")
        with tf.device("/gpu:1"):
            y = tf.tanh(h * tf.exp(tf.constant(1.0)), name="y")
        tf.sigmoid(y, name="unused")
        loss = tf.reduce_sum(y, name="loss")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        sess.run(tf.global_variables_initializer())
        yield sess, [loss, train], {x: np.ones((8, 64), np.float32)}, w
    tf.simulate_gpus(0)


def test_each_pass_tells_lines_and_fates(model):
    sess, fetches, feeds, _ = model
    view = ExplainView(sess, fetches, feeds)
    names = [each["name"] for each in view.passes]
    assert names[0] == "as written"
    assert "fold constants" in names
    assert view.fates[0]["unused"] == "pruned"
    assert view.fates[-1]["Exp"] == "folded"
    assert view.where["h"] == "h"
    assert view.marks[0]["unused"] == "pruned"
    view.stage = -1
    assert view.stage == len(names) - 1
    assert view.to_text().startswith(f"Pass {view.stage} of {view.stage}, {names[-1]}")


def test_the_passes_alone_need_no_values(model):
    sess, fetches, feeds, _ = model
    view = ExplainView(sess, fetches, list(feeds))
    assert len(view.passes) > 2
    view.placement = {"y": "/device:GPU:0"}
    assert "give feed_dict with values" in view.trial["problem"]


def test_a_selection_opens_the_way_and_is_shared(model):
    sess, fetches, feeds, _ = model
    view, graph = ExplainView(sess, fetches, feeds), GraphView(sess.graph)
    view.link(graph)
    view.selected = "gradients/h_grad/MatMul_1"
    assert any("h_grad" in scope for scope in view.expanded)
    assert graph.selected == "gradients/h_grad/MatMul_1"
    graph.selected = "h"
    assert view.selected == "h"


def test_a_placement_is_tried_on_a_copy(model):
    sess, fetches, feeds, w = model
    view = ExplainView(sess, fetches, feeds)
    before = sess.run(w)
    view.placement = {"y": "/device:GPU:0", "mul": "/device:GPU:0", "Exp": "/device:GPU:0"}
    assert "problem" not in view.trial
    gone = {row[0] for row in view.trial["transfers"] if row[4] == "gone"}
    assert "h" in gone
    assert view.trial["counts"][1] < view.trial["counts"][0]
    times = view.measure(0.05)
    assert view.trial["measured"] == [times["now"], times["tried"]]
    np.testing.assert_array_equal(sess.run(w), before)
    assert sess.graph.get_operation_by_name("y").device == "/device:GPU:1"
    view.placement = {}
    assert view.trial["counts"][0] == view.trial["counts"][1]
    assert view.trial["predicted"] == 1.0


def test_the_copy_computes_what_the_session_computes(model):
    sess, (loss, _), feeds, _ = model
    view = ExplainView(sess, loss, feeds)
    view.placement = {"h": "/device:GPU:1"}
    trial = view._trial(view.placement)
    value = trial._sess.run(trial._fetches, trial._feeds)
    np.testing.assert_allclose(value, sess.run(loss, feeds), rtol=1e-6)


def test_what_cannot_be_placed_is_told(model):
    sess, fetches, feeds, _ = model
    view = ExplainView(sess, fetches, feeds)
    view.placement = {"h": "/device:NO:1:2"}
    assert view.trial["problem"]


def test_the_code_to_paste_places_as_the_view_does(model):
    sess, fetches, feeds, _ = model
    view = ExplainView(sess, fetches, feeds)
    view.placement = {"h": "/device:GPU:1", "a/b": "/device:CPU:0"}
    names: dict = {"tf": tf}
    exec(view.code(), names)

    class Op:
        device = "as asked"

        def __init__(self, name):
            self.name = name

    for name, device in {
        "h": "/device:GPU:1",
        "a/b/c": "/device:CPU:0",
        "a/bc": "as asked",
        "gradients/h_grad/MatMul": "/device:GPU:1",
        "gradients_1/a/b/c_grad/x": "/device:CPU:0",
    }.items():
        assert names["place"](Op(name)) == view.device_function()(Op(name)) == device


def test_the_longest_name_counts():
    place = device_function({"a": "/cpu:0", "a/b": "/gpu:0"})

    class Op:
        name, device = "a/b/c", ""

    assert place(Op()) == "/gpu:0"


def test_a_prediction_takes_times_from_now_and_the_order_from_what_is_tried():
    def stats(name, start, length, inputs="", kind="MatMul", size=0):
        label = f"{name} = {kind}({inputs})"
        return {
            "node_name": name, "op": kind, "timeline_label": label, "output_bytes": size,
            "all_start_micros": start, "all_end_rel_micros": length, "thread_id": 0,
        }  # fmt: skip

    def step(*devices):
        lanes = [{"device": f"/device:GPU:{k}", "node_stats": d} for k, d in enumerate(devices)]
        return read_steps([{"dev_stats": lanes}])[0]

    now = step([stats("a", 0, 100), stats("b", 100, 50, "a")])
    sent = stats("_send_a_0_to_0", 1, 5, "a", "_Send", 5000)
    received = stats("_recv_a_0_to_0", 0, 9, "", "_Recv", 5000)
    tried = step([stats("a", 0, 1), sent], [received, stats("b", 9, 1, "_recv_a_0_to_0")])
    assert predicted(now, now) == 150e-6
    assert predicted(now, tried) == pytest.approx((100 + 1 + 30 + 1 + 50) * 1e-6)


def test_fates_of_boxes():
    fates = {"s/a": "pruned", "s/b": "folded", "s/c": "folded", "t": "fused", "t/y": "folded"}
    inside = {
        "s": ["s/a", "s/b", "s/c"],
        "t": ["t", "t/y"],
        "u": ["u"],
        "v": ["s/a", "u"],
        "w": ["s/a", "s/b", "s/c", "u"],
    }
    assert box_fates(inside, fates) == {"s": "folded", "t": "fused", "w": "2 folded"}


def test_the_picture_stands_alone(model):
    sess, fetches, feeds, _ = model
    view = ExplainView(sess, fetches, feeds, stage=-1)
    words = "".join(ElementTree.fromstring(view.to_svg()).itertext())
    assert "def step" in words
    assert "pruned" in words


def test_a_session_of_a_cluster_shows_its_program_and_keeps_its_placement():
    server = tf.train.Server.create_local_server()
    with tf.Graph().as_default(), tf.Session(server.target) as sess:
        view = ExplainView(sess, tf.constant(1.0) + tf.random_normal([]))
        assert [each["name"] for each in view.passes] == ["as it runs"]
        view.placement = {"add": "/device:CPU:0"}
        assert "not of a cluster" in view.trial["problem"]


def test_resource_variables_and_nested_fetches_find_themselves_in_the_copy():
    tf.simulate_gpus(1)
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", [3], initializer=tf.ones_initializer(), use_resource=True)
        step = w.assign_add([1.0, 1.0, 1.0])
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        operations = len(sess.graph.get_operations())
        view = ExplainView(sess, {"w": w, "more": [step, "w:0"][:1]})
        view.placement = {"AssignAddVariableOp": "/device:CPU:0"}
        assert "problem" not in view.trial
        assert len(sess.graph.get_operations()) == operations
        assert sess.run(w).tolist() == [2.0, 2.0, 2.0]
    tf.simulate_gpus(0)

"""`GraphView.run`: a real run recorded, its values as summaries, and what the picture shows."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest
import traitlets
from minitf_widgets import GraphView
from minitf_widgets.graph.run import summary

import minitf as tf
from tests.graphs import graph as graph


def expression():
    """(b + c) * (c + 2), its slopes, and an op that nobody asks for."""
    b, c = tf.placeholder(tf.float32, [], "b"), tf.placeholder(tf.float32, [], "c")
    a = tf.multiply(tf.add(b, c, "d"), tf.add(c, 2.0, "e"), "a")
    tf.square(c, "unneeded")
    return a, tf.gradients(a, [b, c]), {b: 1.0, c: 2.0}


def steps(view):
    return {step["op"]: step for step in view.recording["steps"]}


def test_a_run_gives_its_values_and_shows_them(graph):
    a, slopes, feeds = expression()
    view = GraphView(graph)
    with tf.Session() as sess:
        assert view.run(sess, {"a": a, "slopes": slopes}, feeds) == {
            "a": 12.0,
            "slopes": [4.0, 7.0],
        }
    told = steps(view)
    assert told["a"]["outs"][0]["text"] == "12" and told["a"]["ins"] == ["d:0", "e:0"]
    assert told["b"]["fed"] and "unneeded" not in told
    assert view.recording["needed"] == len(told) and view.recording["ops"] == len(told) + 1
    order = list(told)
    assert order.index("d") < order.index("a") < order.index("gradients/Fill")
    assert view.step == len(order) - 1
    lines = view.to_text().splitlines()
    assert any(line.endswith("a (Mul): 12 (float32)") for line in lines)
    assert sum(line.startswith("> ") for line in lines) == 1


def test_state_changes_once(graph):
    count = tf.Variable(5, name="count")
    view = GraphView(graph)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert view.run(sess, tf.assign_add(count, 1, name="more")) == 6
        assert sess.run(count) == 6
    assert "more" in steps(view)  # an op newer than the view


def test_the_picture_has_the_values_up_to_the_step(graph):
    a, _, feeds = expression()
    view = GraphView(graph)
    with tf.Session() as sess:
        view.run(sess, a, feeds)

    def texts():
        root = ElementTree.fromstring(view.to_svg())
        return [text for text in root.itertext() if text.strip()]

    assert texts().count("12") == 2  # in its title, and below its box
    view.step = list(steps(view)).index("d")
    assert "12" not in texts() and "3" in texts()
    view.step = 99
    assert view.step == len(view.recording["steps"]) - 1


def test_the_scene_tells_where_values_stand(graph):
    a, _, feeds = expression()
    view = GraphView(graph)
    with tf.Session() as sess:
        view.run(sess, a, feeds)
    boxes, made = view.scene["boxes"], dict(zip(steps(view), view.scene["run_at"]))
    chip, box = made["d"]["chip"], boxes[made["d"]["at"]]
    assert box["id"] == "d" and chip["text"] == "3"
    assert chip["y"] < box["y"] + box["h"] < chip["y"] + chip["h"]
    assert abs(chip["x"] + chip["w"] / 2 - box["x"] - box["w"] / 2) < 0.2
    assert made["b"]["chip"]["text"] == "fed 1"
    wire = next(wire for wire in view.scene["wires"] if wire["tensors"] == ["d:0"])
    assert made["d"]["wires"] == {wire["id"]: "3"}


def test_unneeded_ops_are_dimmed_and_the_present_one_lit(graph):
    a, _, feeds = expression()
    view = GraphView(graph)
    with tf.Session() as sess:
        view.run(sess, a, feeds)
    svg = view.to_svg()
    dimmed = [
        part.split("</title>")[0]
        for part in svg.split("<g transform=")
        if "opacity" in part.split(">")[0]
    ]
    assert any("unneeded: Square op" in part for part in dimmed)
    assert not any("a: Mul op" in part for part in dimmed)
    assert svg.count('stroke-width="3"></rect>') == 1


def test_nan_stops_and_says_where_it_comes_from(graph):
    p = tf.placeholder(tf.float32, [3], "p")
    cost = tf.reduce_sum(tf.log(p, name="log") * 0.0, name="cost")
    view = GraphView(graph)
    with tf.Session() as sess:
        assert np.isnan(view.run(sess, cost, {p: [1.0, 1.0, 0.0]}))
    alarm = view.recording["alarm"]
    assert list(steps(view))[alarm["step"]] == "log" and view.step == alarm["step"]
    assert alarm["text"] == "log (Log) made [0, 0, -inf] from p:0 = [1, 1, 0]"
    assert alarm["text"] in view.to_text()
    view.run(tf.Session(), cost, {p: [1.0, 1.0, float("nan")]})
    assert view.recording["alarm"]["text"] == "p was fed with [1, 1, nan]"


def test_a_failed_run_shows_where_and_raises(graph):
    x = tf.placeholder(tf.float32, [None], "x")
    y = tf.add(x, tf.constant([1.0, 2.0]), "y")
    view = GraphView(graph)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        view.run(sess, y, {x: [1.0, 2.0, 3.0]})
    last = view.recording["steps"][-1]
    assert last["op"] == "y" and "Incompatible shapes: [3] vs. [2]" in last["outs"][0]["full"]
    assert "Incompatible shapes" in view.recording["error"]


def test_hostile_strings_are_text(graph):
    word = tf.placeholder(tf.string, [], "word")
    number = tf.strings.to_number(word, name="number")
    view = GraphView(graph)
    with tf.Session() as sess:
        view.run(sess, word, {word: b"\x00</text><script>\xff"})
        ElementTree.fromstring(view.to_svg())
        with pytest.raises(tf.errors.InvalidArgumentError):
            view.run(sess, number, {word: b"\x00<b>"})
    assert any("<b>" in text for text in ElementTree.fromstring(view.to_svg()).itertext())


def test_loops_and_branches_tell_how_often(graph):
    x = tf.constant(1.0, name="x")
    loop = tf.while_loop(
        lambda y: y < 20.0, lambda y: tf.multiply(y, 2.0, "twice"), [x], name="loop"
    )
    z = tf.cond(loop > 0.0, lambda: loop + 1.0, lambda: loop - 1.0, name="c")
    view = GraphView(graph)
    view.run(tf.Session(), z)
    told = steps(view)
    assert told["loop/While"]["note"] == "5 turns; inside are the values of the last"
    assert ["loop/twice", 5, "32"] in told["loop/While"]["inside"]
    assert told["c/If"]["note"] == "the then branch ran"


def test_breakpoints_are_ops_or_scopes(graph):
    _, (slope, _), feeds = expression()
    view = GraphView(graph)
    view.breakpoints = ["d", "gradients"]
    with tf.Session() as sess:
        view.run(sess, slope, feeds)
    names = list(steps(view))
    assert "d" not in names  # not needed for this slope
    assert {names[stop].split("/")[0] for stop in view.stops} == {"gradients"}
    with pytest.raises(traitlets.TraitError, match="no op or scope named 'nobody'"):
        view.breakpoints = ["nobody"]


def test_what_cannot_be_watched_is_fetched_and_says_so(graph):
    a, slopes, feeds = expression()
    server = tf.train.Server.create_local_server()
    view = GraphView(graph)
    with tf.Session(server.target) as sess:
        assert view.run(sess, [a, slopes], feeds) == [12.0, [4.0, 7.0]]
    assert steps(view)["d"]["outs"][0]["text"] == "3" and steps(view)["b"]["fed"]
    assert "a session of a cluster cannot be watched" in view.recording["why"]
    with tf.train.MonitoredSession() as hooked:
        view.run(hooked, a, feeds)
    assert "a MonitoredSession cannot be watched" in view.recording["why"]


def test_another_graph_ends_the_run(graph):
    a, _, feeds = expression()
    view = GraphView(graph)
    with tf.Session() as sess:
        view.run(sess, a, feeds)
    view.update(graph)
    assert view.recording == {} and view.step == -1 and "run_at" not in view.scene


def test_the_reader_may_end_the_run(graph):
    a, _, feeds = expression()
    view = GraphView(graph)
    with tf.Session() as sess:
        view.run(sess, a, feeds)
    assert any(box["dim"] for box in view.scene["boxes"])
    view.recording = {}  # as the page does
    assert "run_at" not in view.scene and not any(box["dim"] for box in view.scene["boxes"])


def test_large_values_leave_as_summaries(graph):
    x = tf.placeholder(tf.float32, [None, 1000], "x")
    y = x
    for _ in range(100):
        y = y * 1.5
    view = GraphView(graph)
    with tf.Session() as sess:
        view.run(sess, y, {x: np.ones((1000, 1000)) * np.arange(1000)})
    assert len(json.dumps(view.recording)) < 450_000


# ---- summaries ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text", "kind"),
    [
        (np.float32(0.123456), "0.1235", "float32"),
        (7, "7", "int64"),
        (np.bool_(True), "True", "bool"),
        (np.int32([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]", "int32 (2, 2)"),
        (np.float64([1.23456]), "[1.23]", "float64 (1,)"),
        (np.zeros(50), "all 0", "float64 (50,)"),
        (np.arange(100), "0 … 99", "int64 (100,)"),
        (np.arange(100) < 3, "3 of 100 true", "bool (100,)"),
        (b"hello", "'hello'", "string"),
        (b"a very long string that nobody reads", "'a very long string t…", "string"),
        (np.array([b"a", b"b"], object), "['a', 'b']", "string (2,)"),
        (np.array([b"a"] * 30, object), "30 strings", "string (30,)"),
        (None, "no value", ""),
        ([np.zeros(2), np.zeros(2)], "2 × float64 (2,)", "stack"),
        (object(), "object", "resource"),
        (np.array([], np.float32), "[]", "float32 (0,)"),
        (np.ones((4, 5), np.complex64), "all 1", "complex64 (4, 5)"),
    ],
)
def test_texts(value, text, kind):
    told = summary(value)
    assert (told["text"], told["type"]) == (text, kind)
    json.dumps(told, allow_nan=False)


def test_a_histogram_counts_all_of_a_small_array():
    told = summary(np.arange(160))
    assert told["bars"] == [10] * 16
    assert (told["low"], told["mean"], told["high"]) == ("0", "79.5", "159")


def test_what_is_not_finite_is_counted():
    value = np.ones(100)
    value[:3], value[3] = np.nan, -np.inf
    told = summary(value)
    assert told["bad"] == 4 and "1 × -inf, 3 × nan" in told["full"]
    assert summary(np.full(30, np.inf))["text"] == "30 × inf"
    json.dumps(summary(np.full(30, np.nan)), allow_nan=False)


@pytest.mark.parametrize(
    ("shape", "of"),
    [
        ((28, 28), "matrix"),
        ((28, 28, 3), "image"),
        ((5, 28, 28, 1), "5 of 5 images"),
        ((20, 12, 12, 16), "8 of 16 channels of the first image"),
        ((3, 3, 16, 32), "8 of 32 filters"),
        ((1000, 10), None),
        ((30,), None),
    ],
)
def test_images(shape, of):
    image = summary(np.random.default_rng(0).random(shape)).get("image")
    assert (image and image["of"]) == of


def test_fed_rows_are_images_where_their_length_is_a_square():
    digits = np.random.default_rng(0).normal(size=(32, 64))
    assert summary(digits, fed=True)["image"]["of"] == "8 of 32 images"
    assert "image" not in summary(digits)

"""Descent: surfaces of functions and of models in a session, walks, and what the page asks."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("anywidget")

from minitf_widgets import Descent  # noqa: E402

import minitf as tf  # noqa: E402
from tests.widgets.test_live import Page  # noqa: E402


def bowl(a, b):
    return a**2 + 10 * b**2


def test_the_steps_are_those_of_the_formula() -> None:
    path = Descent(bowl, start=(-3, 1), rate=0.04).paths()["batch"]
    a, b = -3.0, 1.0
    for step in range(5):
        assert path[step] == pytest.approx([a, b, bowl(a, b)], rel=1e-3)
        a, b = a - 0.04 * 2 * a, b - 0.04 * 20 * b


def test_a_rate_above_two_over_the_curvature_diverges_and_is_survived() -> None:
    view = Descent(lambda x, y: 1e6 * x**4 + y**2, start=(3, 1), rate=10.0, steps=50)
    path = view.paths()["batch"]
    assert not np.isnan(path).any() and path[-1, 2] > 1e9
    ElementTree.fromstring(view.to_svg())
    Page(view).tell("hello")


def linear(vector: bool):
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    if vector:
        both = tf.Variable([0.0, 3.0], name="both")
        variables, w, b = both, both[0], both[1]
    else:
        w, b = tf.Variable(0.0, name="w"), tf.Variable(3.0, name="b")
        variables = [w, b]
    rng = np.random.default_rng(0)
    xs = rng.normal(0, 1, 60).astype(np.float32)
    feeds = {x: xs, y: 2 * xs - 1}
    return tf.reduce_mean(tf.square(w * x + b - y)), variables, feeds


@pytest.mark.parametrize("vector", [False, True])
def test_a_model_in_a_session_is_walked_and_keeps_its_values(vector: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        loss, variables, feeds = linear(vector)
        sess.run(tf.global_variables_initializer())
        view = Descent(loss, variables, session=sess, feeds=feeds)
        assert np.ravel(sess.run(variables)).tolist() == [0, 3]
        paths = view.paths()
        assert list(paths) == ["batch", "mini-batch of 16", "stochastic"]
        assert view.spec["floor"] == pytest.approx([2, -1], abs=0.01)
        view.set(rate=view.rate / 2)
        assert np.ravel(sess.run(variables)).tolist() == [0, 3]
        assert view.spec["names"] == (["both[0]", "both[1]"] if vector else ["w", "b"])

        # the first step of the batch is TensorFlow's own
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        sess.run(optimizer.minimize(loss), feeds)
        mine = Descent(loss, variables, session=sess, feeds=feeds, start=(0, 3), rate=0.05)
        step = mine.paths()["batch"][1, :2]
        assert step == pytest.approx(np.ravel(sess.run(variables)), abs=1e-3)


def test_data_of_a_function_has_walkers_too() -> None:
    xs = np.linspace(-1, 1, 30)
    view = Descent(lambda w, b, x: np.mean((w * x + b - 1) ** 2), data=[xs], batch=8)
    assert list(view.paths()) == ["batch", "mini-batch of 8", "stochastic"]
    assert view._rows(0, 8).tolist() != view._rows(1, 8).tolist()
    seen = np.concatenate([view._rows(step, 10) for step in range(3)])
    assert sorted(seen) == list(range(30))


def test_the_page_bends_the_path_goes_on_and_starts_elsewhere() -> None:
    view = Descent(bowl, start=(-3, 1), rate=0.04)
    page = Page(view)
    before = view.paths()["batch"]
    page.tell("values", values={"rate": 0.01}, **{"from": 10})
    after = view.paths()["batch"]
    assert (after[:11] == before[:11]).all() and not np.allclose(after[11], before[11])
    page.tell("values", values={"momentum": 0.5}, **{"from": "x"})
    assert not np.allclose(view.paths()["batch"][2], before[2])
    page.tell("more")
    assert len(view.paths()["batch"]) == 81
    page.tell("start", point=[100, 0.5])
    assert view.paths()["batch"][0, :2].tolist() == [view.spec["ranges"][0][1], 0.5]
    for nonsense in ("x", [1], [None, 2]):
        page.tell("start", point=nonsense)
    walked = [each for each in page.sent if each["type"] == "walked"]
    assert len(walked) == 4 and len(walked[-1]["walks"][0]) == 81


def test_the_walk_ends_somewhere() -> None:
    view = Descent(bowl)
    for _ in range(20):
        view._asked({"type": "more"})
    assert len(view.paths()["batch"]) == 601


def test_mistakes_are_told() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        three = tf.Variable([1.0, 2.0, 3.0])
        sess.run(tf.global_variables_initializer())
        with pytest.raises(ValueError, match="needs its variables and session=sess"):
            Descent(tf.constant(1.0))
        with pytest.raises(ValueError, match="have 3 numbers; a surface can be drawn over two"):
            Descent(tf.reduce_sum(three), three, session=sess)


def test_the_picture_has_axes_paths_and_losses() -> None:
    view = Descent(bowl, start=(-3, 1))
    root = ElementTree.fromstring(view.to_svg())
    texts = {node.text for node in root.iter() if node.tag.endswith("text")}
    assert {"a", "b", "step", "loss", "Gradient descent"} <= texts
    assert "batch: from (-3, 1), loss 19, to (" in view.to_text()

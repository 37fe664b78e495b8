"""TensorView: what may be typed, how shapes meet, where numbers come from, what is drawn."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("anywidget")

from minitf_widgets import TensorView  # noqa: E402
from minitf_widgets.live.tensor import broadcast, evaluate, parse_shape  # noqa: E402

import minitf as tf  # noqa: E402
from tests.widgets.test_live import Page  # noqa: E402

X = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "text",
    [
        "x[1]", "x[1:, ::2]", "x[..., 0]", "x[:, None, 1, ::-1]", "x[-1, :, 1:3]", "x[...]",
        "x[0, 0, 0]", "x[5:]", "x[:, 1,]",
    ],
)  # fmt: skip
def test_slices_are_those_of_numpy_and_of_the_library(text: str) -> None:
    made = evaluate(text, X)
    expected = eval(text, {"x": X})
    assert made.values.tolist() == np.asarray(expected).tolist()
    assert X.ravel()[np.array(made.sources, int).ravel()].tolist() == np.ravel(expected).tolist()
    with tf.Graph().as_default(), tf.Session() as sess:
        assert sess.run(eval(text, {"x": tf.constant(X)})).tolist() == made.values.tolist()


@pytest.mark.parametrize(
    ("text", "shape", "first"),
    [
        ("reduce_sum(x, axis=1)", (2, 4), [0, 4, 8]),
        ("tf.reduce_max(x, [0, 2], keepdims=True)", (1, 3, 1), [0, 1, 2, 3, 12, 13, 14, 15]),
        ("reduce_mean(x)", (), list(range(24))),
        ("reduce_min(x, axis=-1)", (2, 3), [0, 1, 2, 3]),
        ("transpose(x)", (4, 3, 2), [0]),
        ("transpose(x, perm=[1, 0, 2])", (3, 2, 4), [0]),
        ("reshape(x, [6, -1])", (6, 4), [0]),
        ("expand_dims(x, 0)", (1, 2, 3, 4), [0]),
        ("squeeze(x, [])", (2, 3, 4), [0]),
        ("reduce_sum(x, [2, 0])", (3,), [0, 12, 1, 13, 2, 14, 3, 15]),
        ("x.sum(axis=(0, 1))", (4,), [0, 4, 8, 12, 16, 20]),
        ("x.mean()", (), list(range(24))),
        ("x.max(axis=-1, keepdims=True)", (2, 3, 1), [0, 1, 2, 3]),
        ("x.reshape([6, -1])", (6, 4), [0]),
        ("x.reshape(6, 4)", (6, 4), [0]),
        ("x.transpose(1, 0, 2)", (3, 2, 4), [0]),
        ("x.T", (4, 3, 2), [0]),
    ],
)
def test_each_number_of_a_result_knows_where_it_comes_from(text, shape, first) -> None:
    made = evaluate(text, X)
    assert made.values.shape == shape
    assert len(made.sources) == made.values.size
    assert made.sources[0] == first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x[2]", "slice index 2 of dimension 0 out of bounds."),
        ("x[0, 0, 0, 0]", "Index out of range: 4 indices into a tensor of rank 3."),
        ("x[::0]", "slice step cannot be zero"),
        ("x[..., ...]", "Multiple ellipses not allowed"),
        ("x[a]", "'a' is no index"),
        ("x[1:2:3:4]", "Type a slice such as"),
        ("x[,1]", "Type a slice such as"),
        ("x[:, 1.5]", "'1.5' is no index"),
        ("x" + "[" * 199, "Type a slice such as"),
        ("x[9999999999]", "slice index 9999999999 of dimension 0 out of bounds."),
        ("__import__('os').system('false')", "Type a slice such as"),
        ("x[().__class__]", "is no index"),
        ("x.dtype", "Type a slice such as"),
        ("x.tofile('x')", "is no number"),
        ("x.dump()", "dump is not known here"),
        ("eval(x)", "eval is not known here"),
        ("reduce_sum(x, axis=3)", "Invalid reduction dimension 3 for input with 3 dimensions."),
        ("reduce_sum(x, axis=open)", "is no number"),
        ("reduce_sum(x, 0, where=1)", "reduce_sum has no argument where"),
        ("reshape(x, [5, 5])", "cannot reshape array of size 24 into shape"),
        ("reshape(x)", "reshape needs shape="),
        ("reduce_sum(x, 0, True)", "Only one argument besides x has no name"),
        ("transpose(x, [0, 0, 1])", "repeated axis"),
        ("reshape(x, [99999999999999999999])", "Maximum allowed dimension exceeded"),
        ("reduce_sum(x, *[1])", "is no number"),
    ],
)
def test_what_does_not_fit_is_told(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(text, X)


@pytest.mark.parametrize("one", [(), (1,), (3,), (2, 1), (4, 1, 3), (0,), (2, 3)])
@pytest.mark.parametrize("other", [(), (1,), (3,), (1, 3), (4, 2, 1), (2,)])
def test_shapes_meet_as_in_numpy(one, other) -> None:
    whole, fits = broadcast(one, other)
    try:
        expected = np.broadcast_shapes(one, other)
    except ValueError:
        expected = None
    assert whole == expected and all(fits) == (expected is not None)
    view = TensorView(one, other)
    ElementTree.fromstring(view.to_svg())
    assert ("do not fit" in view.to_text()) == (expected is None)


@pytest.mark.parametrize("text", ["[3, 1]", "(3,1)", "3, 1", "3 1", " [3,1] "])
def test_shapes_are_read(text: str) -> None:
    assert parse_shape(text) == (3, 1)


@pytest.mark.parametrize(
    "text", ["[100000000]", "x", "[1, -1]", "[1,1,1,1,1,1,1,1,1]", "[0, 99999]"]
)
def test_what_is_no_shape_is_told(text: str) -> None:
    with pytest.raises(ValueError):
        parse_shape(text)


def test_the_page_types_and_gets_a_new_drawing() -> None:
    view = TensorView(X)
    page = Page(view)
    page.tell("values", values={"expression": "reduce_sum(x, axis=0)"})
    scene = next(each for each in page.sent if each["type"] == "scene")
    result = [item for item in scene["items"] if "from" in item]
    assert result[0]["said"] == "result[0, 0] = 12" and result[0]["from"] == ["x0", "x12"]
    page.tell("values", values={"expression": "x["})
    assert page.sent[-2]["wrong"].startswith("Type a slice")
    assert view.expression == "x["


def test_stretched_copies_are_ghosts() -> None:
    view = TensorView(np.array([[10], [20]]), np.array([1, 2, 3]))
    items = view._scene["items"]
    kinds = {item["id"]: item["kind"] for item in items if "id" in item}
    assert [kinds[f"a{i}"] for i in range(6)] == ["cell", "ghost", "ghost"] * 2
    assert [kinds[f"b{i}"] for i in range(6)] == ["cell"] * 3 + ["ghost"] * 3
    texts = [item["text"] for item in items if item.get("from")]
    assert texts == ["11", "12", "13", "21", "22", "23"]


def test_tensors_are_shown_by_their_shape_or_run() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2])
        y = tf.constant([[1.5, 2.5]])
        assert "shape [1, 2]" in TensorView(y).to_text()
        assert "1.5" in TensorView(y, session=sess).to_svg()
        assert (
            "shape [3, 2]" in TensorView(x, session=sess, feed_dict={x: np.ones((3, 2))}).to_text()
        )
        with pytest.raises(ValueError, match="not known yet: give session="):
            TensorView(x)


@pytest.mark.parametrize("shape", [(), (0,), (1000,), (2, 3, 4), (2, 2, 2, 2), (2, 2, 2, 2, 2)])
def test_every_rank_is_drawn_and_large_ones_are_cut_short(shape) -> None:
    view = TensorView(shape)
    ElementTree.fromstring(view.to_svg())
    assert 0 < len(view._scene["items"]) < 200


def test_texts_are_escaped() -> None:
    view = TensorView(np.array(["<b>", "&"]), expression="x[<i>]")
    root = ElementTree.fromstring(view.to_svg())
    assert "<b>" in {node.text for node in root.iter()}


def test_the_result_stands_beside_or_below_where_all_of_it_fits() -> None:
    for shape, beside in (((2, 3, 4), True), ((3, 8, 8), False)):
        view = TensorView(np.zeros(shape, int), expression="x[0]")
        x, result = (each for each in view._scene["items"] if each["text"].startswith("axis"))
        assert (x["y"] == result["y"] and x["x"] + x["w"] < result["x"]) == beside
    view = TensorView(np.full((3, 8, 8), 16), expression="x[0, :, ::-1]")
    assert view._scene["width"] < 800 and view._scene["height"] < 600
    assert sum(item["kind"] in ("cell", "lit") for item in view._scene["items"]) == 4 * 64

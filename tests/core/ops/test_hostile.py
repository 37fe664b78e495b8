"""Arguments and numbers that no operation can use, where NumPy alone would make something up."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.numeric.weights import broadcast_weights

NAN, INF = np.nan, np.inf


def _fails(tensor: tf.Tensor, message: str, feeds: dict | None = None) -> None:
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as error:
        session.run(tensor, feeds)
    assert error.value.message.startswith(message)


def test_nan_comes_last_among_the_largest_of_a_long_row(graph: tf.Graph) -> None:
    row = np.full(100, NAN, np.float32)
    row[[7, 50]] = 1.0, 2.0
    with tf.Session() as session:
        values, places = session.run(tf.nn.top_k(row, 3))
    assert places.tolist() == [50, 7, 0] and values[:2].tolist() == [2.0, 1.0]


def test_sizes_are_asked_when_they_are_known(graph: tf.Graph) -> None:
    s = tf.placeholder(tf.int32, name="s")
    x = tf.placeholder(tf.float32, name="x")
    feed = {x: [1.0, 2.0]}
    _fails(tf.one_hot([1], s), "depth must be non-negative, got: -1", {s: -1})
    _fails(tf.tile(x, s), "Expected multiples argument to be a vector of", {**feed, s: [1, 1]})
    _fails(tf.range(0, 10, s), "Requires start >= limit when delta < 0: 0/10", {s: -1})
    _fails(tf.strided_slice(x, [0], [2], s), "strides[0] must be non-zero", {**feed, s: [0]})
    _fails(tf.pad(x, s), "Paddings must be non-negative: -1 0", {**feed, s: [[-1, 0]]})
    _fails(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=s, logits=x),
        "logits and labels must have the same first dimension, got logits shape [1,2] and labels",
        {x: [[1.0, 2.0]], s: [0, 1]},
    )


def test_a_text_is_no_shape_and_no_axis(graph: tf.Graph) -> None:
    for wrong in (
        lambda: tf.TensorShape("abc"),
        lambda: tf.TensorShape("12"),
        lambda: tf.TensorShape(["a"]),
        lambda: tf.placeholder(tf.float32, "abc"),
        lambda: tf.zeros("abc"),
        lambda: tf.constant(1.0).set_shape("abc"),
        lambda: tf.concat([[1], [2]], "a"),
        lambda: tf.as_dtype(None),
    ):
        with pytest.raises(TypeError):
            wrong()
    assert tf.TensorShape([4.0, "2"]).as_list() == [4, 2]  # 1.x takes these
    with pytest.raises(ValueError, match=r"with length 0 shorter than minimum length 2\.$"):
        tf.concat([], 0)


def test_what_does_not_fit_is_refused_at_run_time_too():
    weights = tf.placeholder(tf.float32)
    checked = broadcast_weights(weights, tf.ones([2, 3]))
    with tf.Session() as sess:
        assert sess.run(checked, {weights: [[5.0], [6.0]]}).tolist() == [[5.0] * 3, [6.0] * 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast"):
            sess.run(checked, {weights: [1.0, 2.0, 3.0]})

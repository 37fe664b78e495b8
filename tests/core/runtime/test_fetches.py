"""What a caller feeds and asks of a run, and the answer in the form of the question."""

from collections import namedtuple

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.session.fetches import Fetches, feed_converter


def test_a_composite_is_put_together_from_its_parts(graph: tf.Graph) -> None:
    sparse = tf.SparseTensor([[0, 1]], [5.0], [2, 2])
    fetches = Fetches(graph, sparse)
    assert fetches.tensors == [sparse.indices, sparse.values, sparse.dense_shape]
    answer = fetches.packer()([[[0, 1]], [5.0], [2, 2]])
    assert isinstance(answer, tf.SparseTensorValue) and answer.values == [5.0]


def test_answers_nest_as_the_fetches_did_when_they_were_asked_for(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [])
    y, nothing = x + 1.0, tf.no_op()
    Pair = namedtuple("Pair", "a b")
    with tf.Session() as sess:
        for value in (1.0, 2.0):  # the second time from what the session has kept
            feeds = {x: value}
            assert sess.run((nothing, y), feeds) == (None, value + 1)
            assert sess.run([nothing, [y, (x,)]], feeds) == [None, [value + 1, (value,)]]
            assert sess.run([[y], x], feeds) == [[value + 1], value]
            answer = sess.run(((y, x), Pair(y, x)), feeds)
            assert answer == ((value + 1, value), Pair(value + 1, value))
            assert [type(each) for each in answer] == [tuple, Pair]
            asked = {"y": y, "b": {"x": x}}
            answer = sess.run(asked, feeds)
            assert answer == {"y": value + 1, "b": {"x": value}} and list(answer) == ["y", "b"]
            asked["b"] = nothing
            assert sess.run(asked, feeds) == {"y": value + 1, "b": None}


def test_what_fails_before_the_first_run_has_no_error_of_the_cache_before_it(
    graph: tf.Graph,
) -> None:
    with tf.device("/gpu:7"):
        x = tf.constant(1.0) + 1
    for fetch, kind in ((x, tf.errors.InvalidArgumentError), ("nowhere:0", ValueError)):
        with tf.Session() as sess, pytest.raises(kind) as caught:
            sess.run(fetch)
        assert not isinstance(caught.value.__context__, KeyError) or (
            caught.value.__suppress_context__
        )


def test_an_array_that_fits_is_passed_on_as_it_is() -> None:
    convert = feed_converter(tf.placeholder(tf.float32, [2, None]))
    value = np.ones((2, 3), np.float32)
    assert convert(value) is value

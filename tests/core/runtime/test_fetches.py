"""What a caller feeds and asks of a run, and the answer in the form of the question."""

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.session.fetches import Fetches, feed_converter, feed_tensor, plain_feeds


def x_and_y() -> tuple[Any, Any]:
    return tf.constant(1.0, name="x"), tf.constant(2.0, name="y")


def test_what_is_asked_twice_is_computed_once(graph: tf.Graph) -> None:
    x, y = x_and_y()
    fetches = Fetches(graph, [x, y, x])
    assert fetches.tensors == [x, y]
    assert fetches.packer()([1.0, 2.0]) == [1.0, 2.0, 1.0]


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


def test_a_name_stands_for_its_tensor(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    assert feed_tensor(graph, "x:0") is x
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor: The name 'z:0'"):
        feed_tensor(graph, "z:0")


def test_an_array_that_fits_is_passed_on_as_it_is() -> None:
    convert = feed_converter(tf.placeholder(tf.float32, [2, None]))
    value = np.ones((2, 3), np.float32)
    assert convert(value) is value


def test_a_nested_state_is_fed_in_parts() -> None:
    c, h = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    assert plain_feeds({(c, h): (1.0, 2.0)}) == {c: 1.0, h: 2.0}
    with pytest.raises(ValueError, match="Key had 2 elements, but value had 1 elements"):
        plain_feeds({(c, h): (1.0,)})
    feeds = {c: 1.0}
    assert plain_feeds(feeds) is feeds

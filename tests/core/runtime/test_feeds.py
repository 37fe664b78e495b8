"""What a caller feeds: which tensor is meant, and its value as a program takes it."""

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.session.fetches import feed_converter, feed_tensor, plain_feeds


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

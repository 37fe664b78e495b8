"""What a caller feeds: which tensor is meant, and its value as a program takes it."""

from typing import Any

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


def test_lists_and_other_types_are_converted() -> None:
    convert = feed_converter(tf.placeholder(tf.float32, [2]))
    for value in ([1, 2], (1.0, 2.0), np.array([1, 2])):
        assert convert(value).tolist() == [1.0, 2.0] and convert(value).dtype == np.float32


@pytest.mark.parametrize("value", [3, 3.0, np.float32(3), np.array(3)])
def test_a_scalar_arrives_as_a_scalar_of_its_type(value: Any) -> None:
    made = feed_converter(tf.placeholder(tf.float32, []))(value)
    assert type(made) is np.float32 and made == 3


def test_a_shape_that_does_not_fit_is_an_error() -> None:
    convert = feed_converter(tf.placeholder(tf.float32, [2, None], name="x"))
    with pytest.raises(ValueError, match=r"feed value of shape \(3, 1\) for Tensor 'x:0'"):
        convert(np.ones((3, 1), np.float32))


def test_a_number_too_large_for_its_type_is_an_error() -> None:
    with pytest.raises(TypeError, match="Try explicitly setting the type of the feed tensor"):
        feed_converter(tf.placeholder(tf.int8, []))(300)


def test_a_tensor_is_no_value() -> None:
    with pytest.raises(TypeError, match="The value of a feed cannot be a tf.Tensor object"):
        feed_converter(tf.placeholder(tf.float32, []))(tf.constant(1.0))


def test_a_nested_state_is_fed_in_parts() -> None:
    c, h = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    assert plain_feeds({(c, h): (1.0, 2.0)}) == {c: 1.0, h: 2.0}
    with pytest.raises(ValueError, match="Key had 2 elements, but value had 1 elements"):
        plain_feeds({(c, h): (1.0,)})
    feeds = {c: 1.0}
    assert plain_feeds(feeds) is feeds

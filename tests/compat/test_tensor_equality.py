"""`==` of tensors: the same object, or equal elements."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


@pytest.fixture
def by_elements():
    tf.enable_tensor_equality()
    yield
    tf.disable_tensor_equality()


def test_elements_are_compared_when_asked_for(by_elements: None) -> None:
    with eager_mode():
        x, v = tf.constant([1, 2]), tf.Variable([1, 2])
        assert (x == [1, 3]).numpy().tolist() == [True, False]
        assert (x != 2).numpy().tolist() == [True, False]
        assert (v == x).numpy().all() and (x != v).numpy().sum() == 0
        assert (np.array([1, 5]) == x).numpy().tolist() == [True, False]
        assert (x == None) is False and (x != None) is True  # noqa: E711
        assert len({x: 0, tf.constant([1, 2]): 1}) == 2


def test_tensors_of_a_graph_stay_objects(by_elements: None) -> None:
    with tf.Graph().as_default():
        x, v = tf.constant([1, 2]), tf.get_variable("v", [2])
        assert x == x and x != tf.constant([1, 2]) and v == v and v != x
        assert [x, v].index(v) == 1


def test_it_is_turned_back(by_elements: None) -> None:
    tf.disable_tensor_equality()
    with eager_mode():
        x = tf.constant([1, 2])
        assert (x == tf.constant([1, 2])) is False and (x == x) is True

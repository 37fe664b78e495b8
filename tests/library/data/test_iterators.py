"""Iterators as programs of 2018 use them, and what they share."""

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

Dataset = tf.data.Dataset


def test_each_session_has_an_iterator_of_its_own():
    element = Dataset.range(5).make_one_shot_iterator().get_next()
    with tf.Session() as one, tf.Session() as two:
        assert [one.run(element) for _ in range(2)] == [0, 1]
        assert two.run(element) == 0


def test_two_reads_in_one_step(sess):
    iterator = Dataset.range(4).make_one_shot_iterator()
    one, two = iterator.get_next(), iterator.get_next()
    assert sorted(sess.run([one, two])) == [0, 1]


def test_shared_name(sess):
    iterators = [
        Dataset.range(5).make_initializable_iterator(shared_name="common") for _ in range(2)
    ]
    sess.run(iterators[0].initializer)
    elements = [each.get_next() for each in iterators]
    assert [sess.run(each) for each in elements] == [0, 1]


def test_a_loop_of_python_over_an_iterator_ends_with_an_error() -> None:
    with eager_mode():
        for place in (iter(tf.data.Dataset.range(3)), tf.data.Dataset.range(3)):
            with pytest.raises(TypeError, match="iterating over a `tf.data` iterator"):
                tf.function(list, autograph=False)(place)

"""`from_generator`: what it yields is checked, and its errors name the program."""

import gc

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

Dataset = tf.data.Dataset


def _first_error(sess, generator, *structure):
    element = Dataset.from_generator(generator, *structure).make_one_shot_iterator().get_next()
    with pytest.raises(tf.errors.OpError) as caught:
        for _ in range(9):
            sess.run(element)
    return caught.value


def test_structure_type_and_shape_are_checked(sess):
    error = _first_error(sess, lambda: iter([(1, 2)]), (tf.int32, tf.int32, tf.int32))
    assert "did not match the expected structure" in error.message
    assert isinstance(error, tf.errors.InvalidArgumentError)
    error = _first_error(sess, lambda: iter([[1], [1, 2]]), tf.int32, [1])
    assert "element of shape (2,) where an element of shape (1,) was expected" in error.message
    error = _first_error(sess, lambda: iter(["a"]), tf.int32)
    assert "could not be converted to the expected type" in error.message


def test_error_of_the_generator(sess):
    def numbers():
        yield 1
        raise KeyError("the program's own")

    error = _first_error(sess, numbers, tf.int32)
    assert 'KeyError: "the program\'s own"' in error.message
    assert "in numbers" in error.message


def test_generator_lives_as_long_as_its_graph(sess):
    element = Dataset.from_generator(lambda: iter([1, 2]), tf.int64).make_one_shot_iterator()
    element = element.get_next()
    gc.collect()
    assert sess.run(element) == 1


def test_generator_is_closed_with_its_iterator():
    closed = []

    def numbers():
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    element = Dataset.from_generator(numbers, tf.int64).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(element)
    assert closed == [True]


def test_a_generator_lives_with_what_is_made_of_it():
    with eager_mode():
        walk = iter(Dataset.from_generator(lambda: iter([1, 2]), tf.int32).repeat(2).batch(1))
        gc.collect()
        assert [each.numpy().tolist() for each in walk] == [[1], [2], [1], [2]]


def test_the_object_of_the_program_goes_with_its_last_element(sess):
    gone = []

    class Numbers:
        def __iter__(self):
            return self

        def __next__(self):
            return 42

        def __del__(self):
            gone.append(True)

    element = Dataset.from_generator(Numbers, tf.int64).take(2)
    element = element.make_one_shot_iterator().get_next()
    assert [sess.run(element) for _ in range(2)] == [42, 42]
    assert not gone
    with pytest.raises(tf.errors.OutOfRangeError):
        sess.run(element)
    assert gone

"""Iterators as programs of 2018 use them, and what they share."""

import numpy as np
import pytest

import minitf as tf

Dataset = tf.data.Dataset


def test_placeholders_in_a_dataset(sess):
    """The program of the guide "Importing Data": arrays that are fed when the iterator starts."""
    features = np.arange(20, dtype=np.float32).reshape(10, 2)
    labels = np.arange(10, dtype=np.int64)
    features_placeholder = tf.placeholder(features.dtype, features.shape)
    labels_placeholder = tf.placeholder(labels.dtype, labels.shape)
    dataset = Dataset.from_tensor_slices((features_placeholder, labels_placeholder))
    dataset = dataset.batch(4)
    iterator = dataset.make_initializable_iterator()
    next_features, next_labels = iterator.get_next()
    seen = []
    sess.run(
        iterator.initializer,
        feed_dict={features_placeholder: features, labels_placeholder: labels},
    )
    while True:
        try:
            x, y = sess.run([next_features, next_labels])
        except tf.errors.OutOfRangeError:
            break
        np.testing.assert_array_equal(x[:, 0], 2.0 * y)
        seen.append(len(y))
    assert seen == [4, 4, 2]


def test_reinitializable(sess):
    training = Dataset.range(4).map(lambda x: x + tf.random_uniform([], -1, 1, tf.int64))
    validation = Dataset.range(2)
    iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
    element = iterator.get_next()
    training_init = iterator.make_initializer(training)
    validation_init = iterator.make_initializer(validation)
    for _ in range(2):
        sess.run(training_init)
        assert len([sess.run(element) for _ in range(4)]) == 4
        sess.run(validation_init)
        assert [sess.run(element) for _ in range(2)] == [0, 1]


def test_feedable_switches_between_training_and_validation(sess):
    training = Dataset.range(100).repeat()
    validation = Dataset.range(1000, 1003)
    handle = tf.placeholder(tf.string, shape=[])
    iterator = tf.data.Iterator.from_string_handle(
        handle, training.output_types, training.output_shapes
    )
    element = iterator.get_next()
    training_iterator = training.make_one_shot_iterator()
    validation_iterator = validation.make_initializable_iterator()
    training_handle = sess.run(training_iterator.string_handle())
    validation_handle = sess.run(validation_iterator.string_handle())
    place = 0
    for _ in range(3):
        for _ in range(5):
            assert sess.run(element, feed_dict={handle: training_handle}) == place
            place += 1
        sess.run(validation_iterator.initializer)
        found = [sess.run(element, feed_dict={handle: validation_handle}) for _ in range(3)]
        assert found == [1000, 1001, 1002]
    with pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(element, feed_dict={handle: b"no iterator"})


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


def test_one_shot_refuses_state():
    variable = tf.Variable(3, dtype=tf.int64)
    dataset = Dataset.range(variable.read_value())
    with pytest.raises(ValueError, match="Cannot capture a stateful node"):
        dataset.make_one_shot_iterator()
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        Dataset.range(tf.placeholder(tf.int64, [])).make_one_shot_iterator()

"""Python values become tensors of the types that TensorFlow gives them."""

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops.control import with_dependencies


def test_numbers_of_numpy_in_a_list_lose_their_width_in_a_graph():
    dtypes = {
        (np.int64(3), 4): tf.int32,
        (np.int64(2**40),): tf.int64,
        (np.float64(1), 2.0): tf.float32,
        (np.float32(1), np.float64(2)): tf.float32,
        (np.uint8(3),): tf.uint8,
        np.int64(3): tf.int64,
        np.float64(2.5): tf.float64,
    }
    with tf.Graph().as_default():
        assert {v: tf.convert_to_tensor(v).dtype for v in dtypes} == dtypes


def test_class_of_each_cluster_is_looked_up():
    classes = [np.argmax(counts) for counts in np.eye(3)]
    with tf.Graph().as_default(), tf.Session() as sess:
        found = tf.nn.embedding_lookup(tf.convert_to_tensor(classes), [2, 0])
        assert sess.run(tf.equal(found, tf.constant([2, 1]))).tolist() == [True, False]


def test_tensors_in_a_list_get_the_type_that_is_asked_for():
    with tf.Graph().as_default(), tf.Session() as sess:
        i, rows = tf.constant(1), tf.constant([[1], [2]], tf.int64)
        assert tf.convert_to_tensor([i, 2], dtype=tf.int64).dtype == tf.int64
        assert sess.run(tf.concat([rows, [[i], [5]]], 1)).tolist() == [[1, 1], [2, 5]]
        assert sess.run(tf.add([1.0, 2.0], [i, i])).tolist() == [2.0, 3.0]
        with pytest.raises(TypeError, match="^Cannot convert a list containing a tensor of dtype "):
            tf.convert_to_tensor([[i, tf.constant(2.0)], [i, i]])


def test_what_waits_may_be_a_number_or_slices():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable([[1.0], [2.0]])
        assert sess.run(with_dependencies([v.initializer], 7)) == 7
        assert sess.run(v).tolist() == [[1.0], [2.0]]
        w = tf.Variable([[1.0], [2.0]])
        rows = with_dependencies([w.initializer], tf.IndexedSlices(w, tf.constant([1])))
        assert sess.run(tf.gather(rows.values, rows.indices)).tolist() == [[2.0]]


def test_a_constant_of_no_elements_takes_any_value() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        assert sess.run(tf.constant(0, tf.int32, shape=[2, 0])).shape == (2, 0)

"""Python values become tensors of the types that TensorFlow gives them."""

import numpy as np

import minitf as tf


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


def test_a_constant_of_no_elements_takes_any_value() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        assert sess.run(tf.constant(0, tf.int32, shape=[2, 0])).shape == (2, 0)

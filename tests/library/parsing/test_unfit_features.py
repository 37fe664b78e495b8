"""Descriptions of features that no example could fit."""

import pytest

import minitf as tf


def test_a_feature_needs_a_type_and_a_first_size() -> None:
    with pytest.raises(ValueError, match="Missing type for feature a"):
        tf.parse_example(["x"], {"a": tf.FixedLenFeature([], None)})
    with pytest.raises(ValueError, match="First dimension of shape for feature a unknown"):
        tf.parse_example(["x"], {"a": tf.FixedLenFeature([None], tf.int64)})


def test_a_sparse_tensor_takes_no_shape_of_another_size() -> None:
    shape = tf.placeholder(tf.int64, [2])
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
    reshaped = tf.sparse_reshape(sparse, shape)
    with tf.Session() as sess:
        assert sess.run(reshaped, {shape: [3, -1]}).dense_shape.tolist() == [3, 2]
        for wrong in ([4, -1], [4, 2]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="another number of dense"):
                sess.run(reshaped, {shape: wrong})

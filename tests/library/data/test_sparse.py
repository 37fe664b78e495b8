"""Elements that are sparse tensors."""

import numpy as np

import minitf as tf


def matrix() -> tf.SparseTensor:
    """Three rows, the second empty."""
    return tf.SparseTensor([[0, 1], [2, 0], [2, 3]], [5, 7, 9], [3, 4])


def test_rows_of_a_sparse_tensor_are_sparse() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(matrix())
    row = tf.data.make_one_shot_iterator(dataset).get_next()
    assert isinstance(row, tf.SparseTensor)
    with tf.Session() as sess:
        rows = [sess.run(tf.sparse.to_dense(row)).tolist() for _ in range(3)]
    assert rows == [[0, 5, 0, 0], [0, 0, 0, 0], [7, 0, 0, 9]]


def test_batches_of_sparse_rows_are_the_matrix_again() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(matrix()).batch(3)
    batch = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        value = sess.run(batch)
    assert value.indices.tolist() == [[0, 1], [2, 0], [2, 3]]
    assert value.values.tolist() == [5, 7, 9]
    assert value.dense_shape.tolist() == [3, 4]


def test_a_function_gets_and_gives_sparse_tensors() -> None:
    dataset = tf.data.Dataset.from_tensors(matrix()).map(lambda s: s * tf.constant(2))
    value = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(value).values, [10, 14, 18])

"""Ragged tensors: gradients, several axes, and what they refuse."""

import numpy as np
import pytest

import minitf as tf


def test_what_does_not_take_ragged_tensors_says_so() -> None:
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    with pytest.raises(TypeError, match="RaggedTensor"):
        tf.matmul(rows, np.eye(2, dtype=np.float32))


@pytest.mark.parametrize(
    ("maker", "values", "parts"),
    [
        ("from_row_splits", [1, 2, 3], [[0, 2, 1, 3]]),
        ("from_row_splits", [1, 2, 3], [[0, 2, 4]]),
        ("from_row_lengths", [1, 2, 3], [[1, 1]]),
        ("from_row_starts", [1, 2, 3], [[1, 2]]),
        ("from_row_limits", [1, 2, 3], [[2, 1]]),
        ("from_value_rowids", [1, 2], [[1, 0], 2]),
        ("from_value_rowids", [1, 2], [[0, 1, 1], 2]),
    ],
)
def test_parts_that_cut_no_rows(maker: str, values: list, parts: list) -> None:
    fed = [tf.placeholder_with_default(tf.constant(each, tf.int64), None) for each in parts]
    make = getattr(tf.RaggedTensor, maker)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"{maker} do not form a valid"):
            sess.run(make(values, *fed).row_splits)
        sess.run(make(values, *fed, validate=False).row_splits)


def test_elementwise_functions_of_sparse_tensors() -> None:
    a = tf.SparseTensor([[0, 1], [2, 0]], [-4.0, 9.0], [3, 4])
    with tf.Session() as sess:
        assert sess.run(tf.sqrt(tf.abs(a))).values.tolist() == [2.0, 3.0]
        with pytest.raises(TypeError, match="Failed to convert"):
            tf.exp(a)


def test_operands_of_other_shapes(sess):
    rows = tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="size mismatch in dimension"):
        sess.run(rows + tf.ragged.constant([[1], [2, 3]]))
    with pytest.raises(ValueError, match="Unable to broadcast"):
        rows + tf.ragged.constant([[[1]], [[2]]])
    with pytest.raises(ValueError, match="Unable to broadcast"):
        rows + tf.constant([[10, 20]])

"""Arrays of text in other clothes: NumPy's object arrays, and columns such as those of pandas."""

import numpy as np
import pytest

import minitf as tf


class Column:
    """All that a conversion knows of a column of pandas."""

    def __init__(self, *values: object) -> None:
        self.values = np.array(values, object if isinstance(values[0], str) else None)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.values


@pytest.mark.parametrize("value", [Column("a", "é"), np.array(["a", "é"], object)])
def test_text_becomes_bytes(value: object) -> None:
    constant = tf.constant(value)
    assert constant.dtype == tf.string
    with tf.Session() as session:
        assert session.run(constant).tolist() == [b"a", "é".encode()]


def test_numbers_keep_their_type() -> None:
    assert tf.constant(Column(1.5, 2.5)).dtype == tf.float64
    assert tf.constant(Column(1, 2)).dtype == tf.int64
    assert tf.constant(Column(1, 2), tf.float32).dtype == tf.float32


def test_text_and_numbers_in_one_array_are_refused() -> None:
    with pytest.raises(TypeError, match="Consider casting elements to a supported type"):
        tf.constant(np.array(["a", 1.5], object))

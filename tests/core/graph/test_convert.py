"""Python values become tensors of the types that TensorFlow gives them: lists, columns, text."""

import sys

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.dtypes import bfloat16_type
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


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(ImportError, match=r"pip install 'minitf\[bfloat16\]'"):
        bfloat16_type()
    assert tf.bfloat16.is_floating and tf.as_dtype("bfloat16") is tf.bfloat16


def test_sums_are_rounded_once():
    pytest.importorskip("ml_dtypes")
    x = tf.fill([1000], tf.constant(1.0, tf.bfloat16))
    with tf.Session() as sess:
        total, mean = sess.run([tf.reduce_sum(x), tf.reduce_mean(x)])
    assert (float(total), float(mean)) == (1000.0, 1.0)  # adding ones to 256 gives 256
    assert np.asarray(total).dtype == tf.bfloat16.as_numpy_dtype


def test_a_type_without_arithmetic_in_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert tf.as_dtype(np.dtype(ml_dtypes.bfloat16)) is tf.bfloat16
    assert tf.constant(np.ones(2, ml_dtypes.bfloat16)).dtype == tf.bfloat16


def test_the_values_of_a_list_are_not_compared_with_each_other() -> None:
    looks: list[str] = []

    class Row:
        def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
            return np.ones((1, 2), np.float32)

        def __getattr__(self, name: str) -> object:
            looks.append(name)
            raise AttributeError(name)

    with tf.Graph().as_default():
        assert tf.concat([Row() for _ in range(300)], 0).shape == (300, 2)
    assert len(looks) < 300 * 50

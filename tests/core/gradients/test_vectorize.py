"""From a function of one example to the operations for many: `tf.vectorized_map`."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


def types(graph: tf.Graph) -> set[str]:
    return {op.type for op in graph.get_operations()}


def test_operations_stand_once_for_all_examples(graph: tf.Graph, sess: tf.Session) -> None:
    x = tf.constant(np.arange(6.0).reshape(2, 3))
    y = tf.vectorized_map(lambda row: tf.reduce_sum(row * row) + row, x)
    assert sess.run(y).tolist() == [[5.0, 6.0, 7.0], [53.0, 54.0, 55.0]]
    assert "While" not in types(graph)


def test_what_depends_on_no_example_is_computed_once(graph: tf.Graph, sess: tf.Session) -> None:
    w = tf.constant([[1.0], [2.0]])
    x = tf.constant([[1.0, 1.0], [0.0, 3.0], [2.0, 2.0]])
    y = tf.vectorized_map(lambda row: tf.matmul([row], tf.exp(w) * 0.0 + w), x)
    assert sess.run(y).ravel().tolist() == [3.0, 6.0, 6.0]
    (exp,) = [op for op in graph.get_operations() if op.type == "Exp"]
    assert exp.outputs[0].shape == [2, 1]


def test_without_a_rule_a_loop(graph: tf.Graph, sess: tf.Session) -> None:
    x = tf.constant([[3, 1, 3], [2, 2, 5]])
    y = tf.vectorized_map(lambda row: tf.reduce_sum(tf.unique(row).y), x)
    assert sess.run(y).tolist() == [4, 7]
    assert "While" in types(graph)


def test_structures_and_constants(sess: tf.Session) -> None:
    elems = {"a": tf.constant([1.0, 2.0]), "b": tf.constant([[1], [2]])}
    found = tf.vectorized_map(lambda e: (e["a"] * 2, [e["b"], tf.constant(7)]), elems)
    doubled, (b, seven) = sess.run(found)
    assert doubled.tolist() == [2.0, 4.0]
    assert b.tolist() == [[1], [2]]
    assert seven.tolist() == [7, 7]


def test_gradients_of_single_examples(sess: tf.Session) -> None:
    w = tf.constant([1.0, -2.0])

    def slope(pair: tuple) -> tf.Tensor:
        x, y = pair
        loss = tf.square(tf.reduce_sum(w * x) - y)
        return tf.gradients(loss, w)[0]

    xs, ys = np.array([[1.0, 2.0], [3.0, 0.5]], np.float32), np.array([1.0, 2.0], np.float32)
    found = sess.run(tf.vectorized_map(slope, (tf.constant(xs), tf.constant(ys))))
    expected = 2 * ((xs @ [1.0, -2.0]) - ys)[:, None] * xs
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_an_unknown_number_of_rows(sess: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.vectorized_map(lambda row: tf.reshape(row, [2, 1]) + tf.zeros([2, 3]), x)
    assert sess.run(y, {x: np.ones((4, 2))}).shape == (4, 2, 3)


def test_state_is_refused() -> None:
    with pytest.raises(ValueError, match="RandomStandardNormal"):
        tf.vectorized_map(lambda row: row + tf.random_normal([]), tf.constant([1.0, 2.0]))


def test_eagerly() -> None:
    with eager_mode():
        y = tf.vectorized_map(lambda row: tf.reduce_max(row), tf.constant([[1, 5], [7, 2]]))
        assert y.numpy().tolist() == [5, 7]

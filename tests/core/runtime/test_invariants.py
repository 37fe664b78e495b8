"""What is alike in every turn of a loop is computed before it, if it cannot fail."""

import numpy as np
import pytest

import minitf as tf


def program(fetches, *feeds):
    with tf.Session() as sess:
        return sess.explain(fetches, list(feeds)).program


def before_and_inside(text: str) -> tuple[str, str]:
    before, _, inside = text.partition("while rendezvous.alive:")
    return before, inside


W = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32)


def test_what_depends_on_nothing_that_changes_moves_out() -> None:
    w = tf.placeholder(tf.float32, [3, 3], name="w")
    _, x = tf.while_loop(
        lambda i, x: i < 4,
        lambda i, x: (i + 1, tf.matmul(x, tf.tanh(tf.transpose(w)))),
        [0, tf.ones([2, 3])],
    )
    slope = tf.gradients(x, w)[0]
    before, inside = before_and_inside(program([x, slope], w))
    assert "Tanh" in before and "Transpose" in before
    assert (
        "Tanh " not in inside.partition("for ")[0] and "# Transpose" not in inside.split("for ")[0]
    )
    with tf.Session() as sess:
        got, _ = sess.run([x, slope], {w: W})
    expected = np.ones((2, 3)) @ np.linalg.matrix_power(np.tanh(W.T), 4)
    np.testing.assert_allclose(got, expected, rtol=1e-4)


def test_a_variable_that_the_loop_changes_is_read_in_every_turn() -> None:
    v = tf.Variable([1.0, 2.0], use_resource=False)

    def body(i, total):
        with tf.control_dependencies([total]):
            now = tf.square(v.read_value())
        with tf.control_dependencies([now]):
            changed = tf.assign_add(v, [1.0, 1.0])
        with tf.control_dependencies([changed]):
            return i + 1, total + now

    _, total = tf.while_loop(lambda i, t: i < 3, body, [0, tf.zeros([2])])
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(total).tolist() == [1 + 4 + 9, 4 + 9 + 16]


@pytest.mark.parametrize("turns", [0, 2])
def test_what_may_fail_waits_for_a_turn(turns: int) -> None:
    indices = tf.placeholder(tf.int32, [1], name="indices")
    _, x = tf.while_loop(
        lambda i, x: i < turns,
        lambda i, x: (i + 1, x + tf.gather([1.0, 2.0], indices)),
        [0, tf.zeros([1])],
    )
    with tf.Session() as sess:
        if turns:
            with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
                sess.run(x, {indices: [5]})
        else:
            assert sess.run(x, {indices: [5]}).tolist() == [0.0]


def test_what_moved_out_is_not_written_over() -> None:
    w = tf.placeholder(tf.float32, [3], name="w")
    _, x = tf.while_loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, tf.exp(w) * x + tf.exp(w)), [0, tf.zeros([3])]
    )
    with tf.Session() as sess:
        got = sess.run(x, {w: [0.0, 1.0, -1.0]})
    e = np.exp([0.0, 1.0, -1.0])
    np.testing.assert_allclose(got, e**3 + e**2 + e, rtol=1e-5)

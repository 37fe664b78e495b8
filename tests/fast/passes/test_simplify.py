"""What `simplify` leaves out, and what it must leave."""

import numpy as np
import pytest

import minitf as tf


@pytest.fixture
def x():
    return tf.placeholder(tf.float32, [None, 3], name="x")


def lines(fetches, *feeds):
    """The lines of the program that compute something."""
    with tf.Session() as sess:
        program = sess.explain(fetches, list(feeds)).program
    return [line for line in program.splitlines() if " = " in line]


VALUE = np.array([[1, -2, np.nan], [np.inf, 0, -0.0]], np.float32)


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x * 1.0,
        lambda x: 1.0 * x,
        lambda x: x / 1.0,
        lambda x: x + 0.0,
        lambda x: x - 0.0,
        lambda x: tf.ones([3]) * x,
        lambda x: tf.cast(x, tf.float32),
        lambda x: tf.add_n([x]),
        lambda x: x**1.0,
        lambda x: tf.broadcast_to(x, tf.shape(x)),
        lambda x: tf.tile(x, [1, 1]),
    ],
)
def test_what_changes_nothing_is_left_out(x, build) -> None:
    y = build(x)
    assert lines(y, x) == []
    with tf.Session() as sess:
        got = sess.run(y, {x: VALUE})
        assert np.array_equal(got, VALUE, equal_nan=True)
        got[0, 0] = 7  # what is fetched is the caller's own
        assert VALUE[0, 0] == 1


def test_neutral_numbers_that_change_the_shape_stay(x) -> None:
    row = tf.placeholder(tf.float32, [1, 3])
    with tf.Session() as sess:
        got = sess.run([row * tf.ones([2, 3]), row + tf.zeros([2, 1])], {row: VALUE[:1]})
    assert [g.shape for g in got] == [(2, 3), (2, 3)]
    assert len(lines(0.0 - x, x)) == len(lines(1.0 / x, x)) == 1


def test_a_mean_spreads_no_number_over_its_gradient(x) -> None:
    y = tf.placeholder(tf.float32, [None, 3], name="y")
    loss = tf.reduce_mean(tf.square(x - y))
    (slope,) = tf.gradients(loss, x)
    program = "\n".join(lines(slope, x, y))
    assert "BroadcastLike(" not in program
    a, b = np.float32([[1, 2, 3]]), np.float32([[3, 2, 5], [0, 0, 0]])
    with tf.Session() as sess:
        assert np.allclose(sess.run(slope, {x: a, y: a + 1}), -2 / 3)
        stretched = sess.run(slope, {x: a, y: b})
    assert np.allclose(stretched, (2 * (a - b) / 6).sum(0, keepdims=True))


def test_numbers_meet_before_they_meet_an_array(x) -> None:
    s = tf.placeholder(tf.float32, [], name="s")
    y = -(s * (3.0 * x))
    assert sum("np_multiply" in line or "[?,3]" in line for line in lines(y, x, s)) == 1
    with tf.Session() as sess:
        got = sess.run(y, {x: VALUE, s: 2.0})
    assert np.allclose(got, -6 * VALUE, equal_nan=True)


def test_numbers_of_half_precision_meet_too() -> None:
    x, s = tf.placeholder(tf.float16, [None]), tf.placeholder(tf.float16, [])
    with tf.Session() as sess:  # no warning: that a number is below 1e6 is not asked in float16
        got = sess.run(s * (tf.constant(3.0, tf.float16) * x), {x: [1.0, 2.0], s: 2.0})
    assert got.tolist() == [6.0, 12.0]


def test_numbers_that_would_overflow_keep_their_order(x) -> None:
    s = tf.placeholder(tf.float32, [])
    t = tf.placeholder(tf.float32, [])
    with tf.Session() as sess:
        got = sess.run(s * (t * x), {s: 1e30, t: 1e30, x: np.full((1, 3), 1e-30)})
    assert np.allclose(got, 1e30)


def test_integers_and_their_powers() -> None:
    n = tf.placeholder(tf.int32, [None])
    with tf.Session() as sess:
        got = sess.run([n * 1, n + 0, n**2, -(n * 2)], {n: [2, -3]})
    assert [g.tolist() for g in got] == [[2, -3], [2, -3], [4, 9], [-4, 6]]
    assert all(g.dtype == np.int32 for g in got)


def test_a_cube_is_two_products(x) -> None:
    assert "power" not in "".join(lines(x**3.0, x))
    with tf.Session() as sess:
        got = sess.run(x**3.0, {x: VALUE})
    assert np.allclose(got, VALUE.astype(np.float64) ** 3, equal_nan=True)


def test_a_variable_that_is_read_times_one_is_a_snapshot() -> None:
    v = tf.Variable([1.0, 2.0])
    before = v.read_value() * 1.0
    with tf.control_dependencies([before]):
        changed = tf.assign_add(v, [1.0, 1.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        old, new = sess.run([before, changed])
    assert old.tolist() == [1, 2] and new.tolist() == [2, 3]


def test_strings_are_not_simplified() -> None:
    s = tf.placeholder(tf.string, [None])
    with tf.Session() as sess:
        assert sess.run(s + "0", {s: ["a"]}).tolist() == [b"a0"]


def test_an_operation_that_is_asked_for_runs_though_its_value_is_not_read(x) -> None:
    failing = tf.reshape(x, [7])
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(failing.op, {x: VALUE})


def test_a_maximum_whose_gradient_alone_is_wanted_is_not_computed() -> None:
    images = tf.placeholder(tf.float32, [1, 4, 4, 1])
    pooled = tf.nn.max_pool(images, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="pooled")
    (slope,) = tf.gradients(pooled, images)
    fed = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    with tf.Session() as sess:
        assert "pooled = " not in sess.explain(slope, [images]).program
        assert "pooled = " in sess.explain([slope, pooled], [images]).program
        alone, (again, largest) = (sess.run(f, {images: fed}) for f in (slope, [slope, pooled]))
    assert np.flatnonzero(alone).tolist() == largest.ravel().tolist() == [5, 7, 13, 15]
    np.testing.assert_array_equal(alone, again)

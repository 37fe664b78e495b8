"""Large sums are made term by term; everything else stays one sum."""

import numpy as np

import minitf as tf


def program(fetches, *feeds):
    with tf.Session() as sess:
        return sess.explain(fetches, list(feeds)).program


def products(x, count):
    return [tf.matmul(x * float(k), x, transpose_a=True) for k in range(1, count + 1)]


def test_each_term_is_added_when_it_is_there() -> None:
    x = tf.placeholder(tf.float32, [8, 100], name="x")
    total = tf.add_n(products(x, 5))
    kinds = [
        line.split("# ")[1].split()[0] for line in program(total, x).splitlines() if "# " in line
    ]
    kinds = [kind for kind in kinds if kind in ("MatMul", "_AddTerm", "AddN")]
    assert kinds == ["MatMul", "MatMul"] + ["_AddTerm", "MatMul"] * 3 + ["_AddTerm"]
    assert program(total, x).count("np_add(") == program(total, x).count("out=") == 4
    value = np.random.default_rng(0).normal(size=(8, 100)).astype(np.float32)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(total, {x: value}), 15 * value.T @ value, atol=1e-3)


def test_a_term_that_others_read_is_not_written_over() -> None:
    x = tf.placeholder(tf.float32, [8, 100], name="x")
    terms = products(x, 3)
    value = np.ones((8, 100), np.float32)
    with tf.Session() as sess:
        got = sess.run([tf.add_n(terms), *terms, tf.add_n([x, x, x])], {x: value})
    assert [each[0, 0] for each in got] == [48, 8, 16, 24, 3]
    assert value[0, 0] == 1


def test_small_sums_and_sums_of_unknown_shapes_stay() -> None:
    small = tf.placeholder(tf.float32, [8, 10], name="small")
    unknown = tf.placeholder(tf.float32, [None, None], name="unknown")
    for x in (small, unknown):
        assert "AddTerm" not in program(tf.add_n(products(x, 3)), x)

"""Of a product that is taken apart only the part that is read is computed."""

import numpy as np
import pytest

import minitf as tf

A = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
B = np.random.default_rng(1).normal(size=(4, 6)).astype(np.float32)


def program(fetches, *feeds):
    with tf.Session() as sess:
        return sess.explain(fetches, list(feeds)).program


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("sizes", [3, [1, 2, 3]])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_one_part(transpose_a: bool, transpose_b: bool, sizes, part: int) -> None:
    a = tf.placeholder(tf.float32, [4, None] if transpose_a else [None, 4], name="a")
    b = tf.placeholder(tf.float32, [6, 4] if transpose_b else [4, 6], name="b")
    product = tf.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)
    y = tf.split(product, sizes, axis=1)[part]
    assert "_MatMulPart" in program(y, a, b) and "Split" not in program(y, a, b)
    feeds = {a: A.T if transpose_a else A, b: B.T if transpose_b else B}
    ends = [0, 2, 4, 6] if sizes == 3 else [0, 1, 3, 6]
    with tf.Session() as sess:
        expected = (A @ B)[:, ends[part] : ends[part + 1]]
        np.testing.assert_allclose(sess.run(y, feeds), expected, rtol=1e-5)


def test_what_is_read_otherwise_is_computed_whole() -> None:
    a = tf.placeholder(tf.float32, [None, 4], name="a")
    product = tf.matmul(a, B)
    parts = tf.split(product, [1, 5], axis=1)
    rows = tf.split(product, 3, axis=0)
    for fetches in (parts, [parts[0], product], [rows[1]]):
        assert "_MatMulPart" not in program(fetches, a)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
            wide = tf.placeholder(tf.float32, None)
            wide.set_shape([None, None])
            sess.run(tf.split(tf.matmul(wide, B), [1, 5], axis=1)[0], {wide: np.ones((2, 3))})

"""CTC against all paths, one by one."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.graphs import run


def sparse(rows: list[list[int]]) -> tf.SparseTensor:
    places = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [label for row in rows for label in row]
    return tf.SparseTensor(places, np.array(values, np.int32), [len(rows), max(map(len, rows))])


def loss(x: Any, rows: list[list[int]], lengths: list[int]) -> Any:
    return tf.nn.ctc_loss(sparse(rows), x, lengths)


def test_gradient_equals_differences() -> None:
    x = np.random.default_rng(1).normal(size=(4, 2, 3))
    fed = tf.placeholder(tf.float64, x.shape)
    total = tf.reduce_sum(loss(fed, [[0, 0], [1]], [4, 3]) * [1.0, 2.0])
    (gradient,) = tf.gradients(total, fed)
    with tf.Session() as sess:
        exact = sess.run(gradient, {fed: x})
        for place in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[place] = 1e-5
            up, down = (sess.run(total, {fed: x + s}) for s in (step, -step))
            assert exact[place] == pytest.approx((up - down) / 2e-5, abs=1e-6)
    assert not exact[3, 1].any()
    with pytest.raises(LookupError, match="cannot be derived again"):
        tf.gradients(gradient, fed)


def test_what_cannot_be_spoken() -> None:
    x = tf.zeros([2, 1, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"required: 3, available: 2"):
        run(loss(x, [[0, 1, 0]], [2]))
    value, gradient = run([loss(x, [[0, 0]], [2]), tf.gradients(loss(x, [[0, 0]], [2]), x)[0]])
    assert np.isinf(value).all()  # a blank between equal labels needs a third moment
    assert not gradient.any()

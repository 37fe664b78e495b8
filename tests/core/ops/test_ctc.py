"""CTC against all paths, one by one."""

import itertools
from typing import Any

import numpy as np
import pytest

import minitf as tf


def run(tensor: Any) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor)


def log_softmax(x: np.ndarray) -> np.ndarray:
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def labelling(path: tuple, blank: int) -> tuple:
    kept = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
    return tuple(c for c in kept if c != blank)


def by_paths(x: np.ndarray) -> dict[tuple, float]:
    """The probability of every labelling: the sum over its paths."""
    times, classes = x.shape
    p, found = np.exp(log_softmax(x)), dict[tuple, float]()
    for path in itertools.product(range(classes), repeat=times):
        key = labelling(path, classes - 1)
        found[key] = found.get(key, 0.0) + np.prod(p[np.arange(times), path])
    return found


def sparse(rows: list[list[int]]) -> tf.SparseTensor:
    places = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [label for row in rows for label in row]
    return tf.SparseTensor(places, np.array(values, np.int32), [len(rows), max(map(len, rows))])


def loss(x: Any, rows: list[list[int]], lengths: list[int]) -> Any:
    return tf.nn.ctc_loss(sparse(rows), x, lengths)


def test_loss_is_the_sum_over_paths() -> None:
    x = np.random.default_rng(0).normal(size=(5, 3, 3))
    rows, lengths = [[0, 1], [1, 1], [0]], [5, 5, 2]
    values = run(loss(x, rows, lengths))
    for i, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        assert values[i] == pytest.approx(-np.log(by_paths(x[:length, i])[tuple(row)]))


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


def test_greedy_by_hand() -> None:
    path = [0, 0, 2, 0, 1, 1]
    x = np.full((6, 1, 3), -1.0)
    x[np.arange(6), 0, path] = 1.0
    (decoded,), score = run(tf.nn.ctc_greedy_decoder(x, [6]))
    assert decoded.values.tolist() == [0, 0, 1]
    assert score.tolist() == [[-6.0]]
    (decoded,), _ = run(tf.nn.ctc_greedy_decoder(x, [6], merge_repeated=False))
    assert decoded.values.tolist() == [0, 0, 0, 1, 1]


def test_a_wide_beam_finds_the_best_labellings() -> None:
    x = np.random.default_rng(2).normal(size=(5, 1, 3))
    best = sorted(by_paths(x[:, 0]).items(), key=lambda item: -item[1])[:3]
    decoded, scores = run(
        tf.nn.ctc_beam_search_decoder(x, [5], beam_width=300, top_paths=3, merge_repeated=False)
    )
    for rank, (labels, p) in enumerate(best):
        assert tuple(decoded[rank].values) == labels
        assert scores[0, rank] == pytest.approx(np.log(p))

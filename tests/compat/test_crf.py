"""`tf.contrib.crf`, against all sequences of tags, one by one."""

import itertools

import numpy as np
import pytest

import minitf as tf

crf = tf.contrib.crf
LENGTHS = np.array([1, 4, 3])
RNG = np.random.default_rng(0)
INPUTS = RNG.normal(size=(3, 4, 3)).astype(np.float32)
STEPS = RNG.normal(size=(3, 3)).astype(np.float32)
TAGS = RNG.integers(0, 3, size=(3, 4))


def _score(row: int, tags: tuple[int, ...]) -> float:
    alone = sum(INPUTS[row, place, tag] for place, tag in enumerate(tags))
    return alone + sum(STEPS[pair] for pair in itertools.pairwise(tags))


def _all(row: int) -> dict[tuple[int, ...], float]:
    return {tags: _score(row, tags) for tags in itertools.product(range(3), repeat=LENGTHS[row])}


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_likelihood(dtype: type) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        args = tf.constant(INPUTS), TAGS.astype(dtype), LENGTHS, tf.constant(STEPS)
        likelihood, _ = crf.crf_log_likelihood(*args)
        got = sess.run(likelihood)
        scores = sess.run(crf.crf_sequence_score(*args))
        (gradient,) = tf.gradients(likelihood, args[3])
        assert sess.run(gradient).shape == (3, 3)
    for row, length in enumerate(LENGTHS):
        mine = _score(row, tuple(TAGS[row, :length]))
        np.testing.assert_allclose(scores[row], mine, rtol=1e-4)
        whole = np.log(sum(np.exp(score) for score in _all(row).values()))
        np.testing.assert_allclose(got[row], mine - whole, rtol=1e-4)

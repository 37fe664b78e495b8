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


def test_decoding() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        tags, scores = sess.run(crf.crf_decode(tf.constant(INPUTS), STEPS, LENGTHS))
    assert tags.dtype == np.int32 and tags.shape == (3, 4)
    for row, length in enumerate(LENGTHS):
        best = max(_all(row).items(), key=lambda item: item[1])
        assert tuple(tags[row, :length]) == best[0] and not tags[row, length:].any()
        np.testing.assert_allclose(scores[row], best[1], rtol=1e-5)
        found, score = crf.viterbi_decode(INPUTS[row, :length], STEPS)
        assert tuple(found) == best[0] and score == pytest.approx(best[1], rel=1e-5)


def test_words_of_one_place_and_own_transitions() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        likelihood, steps = crf.crf_log_likelihood(
            tf.constant(INPUTS[:, :1]), TAGS[:, :1], [1, 1, 1]
        )
        tags, _ = crf.crf_decode(tf.constant(INPUTS[:, :1]), steps, [1, 1, 1])
        sess.run(tf.global_variables_initializer())
        assert steps.op.name == "transitions" and sess.run(likelihood).shape == (3,)
        np.testing.assert_array_equal(sess.run(tags)[:, 0], INPUTS[:, 0].argmax(1))

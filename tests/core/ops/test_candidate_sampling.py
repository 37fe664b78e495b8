"""Samplers draw what their distributions say, and count what they expect to draw."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

RANGE = 20


def distribution(kind: str) -> np.ndarray:
    k = np.arange(RANGE)
    weights = {
        "uniform": np.ones(RANGE),
        "log_uniform": np.log((k + 2) / (k + 1)),
    }[kind]
    return weights / weights.sum()


def sample(kind: str, count: int, unique: bool, seed: int | None = 1) -> Any:
    function = getattr(tf.nn, f"{kind}_candidate_sampler")
    return function([[0, 19]], 2, count, unique, RANGE, seed=seed)


KINDS = ("uniform", "log_uniform")


@pytest.mark.parametrize("kind", KINDS)
def test_draws_by_the_distribution(kind: str, sess: tf.Session) -> None:
    drawn, true_count, count = sess.run(list(sample(kind, 20000, unique=False)))
    chance = distribution(kind)
    frequency = np.bincount(drawn, minlength=RANGE) / drawn.size
    assert np.abs(frequency - chance).max() < 5 * np.sqrt(chance.max() / drawn.size)
    np.testing.assert_allclose(true_count, [chance[[0, 19]] * drawn.size], rtol=1e-5)
    np.testing.assert_allclose(count, chance[drawn] * drawn.size, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_unique_ones_differ_and_are_expected_as_often_as_they_come(
    kind: str, sess: tf.Session
) -> None:
    outputs = list(sample(kind, 6, unique=True))
    seen, expected = np.zeros(RANGE), np.zeros(2)
    runs = 3000
    for _ in range(runs):
        drawn, true_count, _ = sess.run(outputs)
        assert len(set(drawn)) == 6
        seen[drawn] += 1
        expected += true_count[0]
    # TensorFlow's estimate is close for classes that seldom come; it may exceed 1 for others
    rare = int(np.argmin(distribution(kind)[[0, 19]]))
    np.testing.assert_allclose(expected[rare] / runs, seen[[0, 19][rare]] / runs, atol=0.03)


def test_the_same_seed_draws_the_same() -> None:
    def draw(seed: int | None) -> list:
        with tf.Graph().as_default(), tf.Session() as fresh:
            out = sample("log_uniform", 5, unique=True, seed=seed).sampled_candidates
            return [fresh.run(out).tolist() for _ in range(3)]

    assert draw(3) == draw(3)
    assert draw(3) != draw(4)

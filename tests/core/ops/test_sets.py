"""Set operations and edit distances, against Python's own sets and a slow recursion."""

from functools import cache

import numpy as np

import minitf as tf


def distance(a: str, b: str) -> int:
    @cache
    def step(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        change = step(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        return min(change, step(i - 1, j) + 1, step(i, j - 1) + 1)

    return step(len(a), len(b))


def letters(words: list[str]) -> tf.SparseTensor:
    places = [[i, j] for i, word in enumerate(words) for j in range(len(word))]
    return tf.SparseTensor(places, list("".join(words)), [len(words), 20])


def test_edit_distance_like_its_definition(sess: tf.Session) -> None:
    rng = np.random.default_rng(1)
    pairs = ["".join(rng.choice(list("abc"), rng.integers(1, 8))) for _ in range(40)]
    one, other = pairs[:20], pairs[20:]
    found = sess.run(tf.edit_distance(letters(one), letters(other), normalize=False))
    assert found.tolist() == [distance(a, b) for a, b in zip(one, other, strict=True)]
    shares = sess.run(tf.edit_distance(letters(one), letters(other)))
    np.testing.assert_allclose(shares, found / [len(word) for word in other], rtol=1e-6)

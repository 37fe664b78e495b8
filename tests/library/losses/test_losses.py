"""Losses: what is said of arguments that miss or do not fit."""

import numpy as np
import pytest

import minitf as tf

RNG = np.random.default_rng(0)
LABELS, GUESSES = RNG.normal(size=[2, 4, 3]).astype(np.float32)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.losses.mean_squared_error(None, GUESSES), "labels must not be None."),
        (lambda: tf.losses.softmax_cross_entropy(LABELS, None), "logits must not be None."),
        (lambda: tf.losses.cosine_distance(LABELS, GUESSES), "You must specify 'axis'."),
    ],
)
def test_missing_and_unfitting_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()

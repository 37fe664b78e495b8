"""Losses beside NumPy; the rules for their weights."""

import numpy as np
import pytest

import minitf as tf

RNG = np.random.default_rng(0)
LABELS, GUESSES = RNG.normal(size=[2, 4, 3]).astype(np.float32)
WEIGHTS = np.array([[1.0], [0.0], [2.0], [0.5]], np.float32)


def run(tensor):
    with tf.Session() as sess:
        return sess.run(tensor)


@pytest.mark.parametrize(
    ("loss", "elementwise"),
    [
        (tf.losses.mean_squared_error, (LABELS - GUESSES) ** 2),
        (tf.losses.absolute_difference, np.abs(LABELS - GUESSES)),
        (
            tf.losses.huber_loss,
            np.where(
                np.abs(LABELS - GUESSES) < 1,
                (LABELS - GUESSES) ** 2 / 2,
                np.abs(LABELS - GUESSES) - 0.5,
            ),
        ),
    ],
)
def test_losses_of_numbers(loss, elementwise):
    assert run(loss(LABELS, GUESSES)) == pytest.approx(elementwise.mean(), rel=1e-5)
    weighted = elementwise * WEIGHTS
    reductions = tf.losses.Reduction
    for reduction, expected in (
        (reductions.SUM, weighted.sum()),
        (reductions.SUM_BY_NONZERO_WEIGHTS, weighted.sum() / 9),
        (reductions.SUM_OVER_BATCH_SIZE, weighted.mean()),
        (reductions.MEAN, weighted.sum() / (WEIGHTS.sum() * 3)),
    ):
        got = run(loss(LABELS, GUESSES, WEIGHTS, reduction=reduction))
        assert got == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(
        run(loss(LABELS, GUESSES, WEIGHTS, reduction=reductions.NONE)), weighted, rtol=1e-5
    )


def test_label_smoothing_pulls_towards_equal_parts():
    onehot = np.eye(3, dtype=np.float32)[[0, 2, 1, 0]]
    smoothed = onehot * 0.7 + 0.1
    log_p = GUESSES - np.log(np.exp(GUESSES).sum(1, keepdims=True))
    got = run(tf.losses.softmax_cross_entropy(onehot, GUESSES, label_smoothing=0.3))
    assert got == pytest.approx(-(smoothed * log_p).sum(1).mean(), rel=1e-5)


def test_one_hot_and_sparse_labels_agree():
    classes = np.array([0, 2, 1, 0])
    onehot = np.eye(3, dtype=np.float32)[classes]
    dense = tf.losses.softmax_cross_entropy(onehot, GUESSES)
    sparse = tf.losses.sparse_softmax_cross_entropy(classes, GUESSES)
    assert run(dense) == pytest.approx(run(sparse), rel=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.losses.mean_squared_error(None, GUESSES), "labels must not be None."),
        (lambda: tf.losses.softmax_cross_entropy(LABELS, None), "logits must not be None."),
        (lambda: tf.losses.cosine_distance(LABELS, GUESSES), "You must specify 'axis'."),
        (
            lambda: tf.losses.mean_squared_error(LABELS, GUESSES[:2]),
            r"Shapes \(2, 3\) and \(4, 3\)",
        ),
    ],
)
def test_missing_and_unfitting_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_weight_of_zero_has_no_gradient():
    guesses = tf.constant(GUESSES)
    loss = tf.losses.mean_squared_error(LABELS, guesses, WEIGHTS)
    gradient = run(tf.gradients(loss, guesses)[0])
    assert (gradient[1] == 0).all() and (gradient[0] != 0).all()
    nothing = tf.losses.mean_squared_error(LABELS, guesses, 0.0)
    assert run(nothing) == 0 and (run(tf.gradients(nothing, guesses)[0]) == 0).all()

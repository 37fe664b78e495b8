"""`tf.contrib.bayesflow.layers`: draws, divergences and gradients of weights that are laws."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

layers = tf.contrib.bayesflow.layers
DENSE = ["reparameterization", "local_reparameterization", "flipout"]


def _parameters(sess: tf.Session) -> tuple[np.ndarray, ...]:
    """The location and the scale of the kernel, and the bias."""
    named = {each.name.split("/")[-1]: sess.run(each) for each in tf.trainable_variables()}
    scale = np.log1p(np.exp(named["kernel_posterior_untransformed_scale:0"]))
    return named["kernel_posterior_loc:0"], scale, named["bias_posterior_loc:0"]


def _spread(sess: tf.Session) -> None:
    """Gives variables other values."""
    rng = np.random.default_rng(0)
    for each in tf.trainable_variables():
        each.load(rng.normal(size=each.shape.as_list()), sess)


@pytest.mark.parametrize("way", DENSE)
def test_the_law_of_dense_outputs(graph: tf.Graph, way: str) -> None:
    """Means and variances are x loc + bias and x^2 scale^2, whatever way outputs are drawn."""
    tf.set_random_seed(1)
    x = np.array([[1.0, -2.0, 0.5], [0.0, 1.0, 3.0]], "f")
    rows = np.repeat(x, 4, 0)
    made = getattr(layers, f"dense_{way}")(rows, 4, name="layer")
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    loc, raw = (each for each in tf.trainable_variables() if "kernel" in each.name)
    gradients = tf.gradients(loss, [loc, raw])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _spread(sess)
        loc, scale, bias = _parameters(sess)
        # Many runs: in one, examples share what is drawn of the kernel.
        draws = np.concatenate([sess.run(made).reshape(2, 4, 4) for _ in range(3000)], 1)
        divergence, slopes, raw = sess.run([loss, gradients, raw])
    np.testing.assert_allclose(draws.mean(1), x @ loc + bias, atol=0.35)
    np.testing.assert_allclose(draws.var(1), x**2 @ scale**2, rtol=0.12)
    # log p(W) of a standard normal law, less that of q: KL(q || p).
    expected = np.sum(-np.log(scale) + (scale**2 + loc**2 - 1) / 2)
    np.testing.assert_allclose(divergence, expected, rtol=1e-5)
    np.testing.assert_allclose(slopes[0], loc, rtol=1e-5)
    inner = 1 / (1 + np.exp(-raw))  # of the softplus
    np.testing.assert_allclose(slopes[1], (scale - 1 / scale) * inner, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("way", DENSE)
def test_what_examples_share(graph: tf.Graph, way: str) -> None:
    """With one kernel, equal examples are equal; the other ways draw for each of them."""
    tf.set_random_seed(2)
    made = getattr(layers, f"dense_{way}")(tf.ones([50, 3]), 2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _spread(sess)
        _, scale, _ = _parameters(sess)
        drawn = sess.run(made)
    apart = drawn.std(0)
    if way == "reparameterization":
        np.testing.assert_allclose(apart, 0, atol=1e-5)
    else:
        assert np.all(apart > 0.2 * scale.max(0))


@pytest.mark.parametrize("way", ["reparameterization", "flipout"])
@pytest.mark.parametrize(("rank", "layout"), [(1, "last"), (2, "last"), (2, "first"), (3, "last")])
def test_the_law_of_convolutions(graph: tf.Graph, way: str, rank: int, layout: str) -> None:
    tf.set_random_seed(3)
    rng = np.random.default_rng(1)
    x = rng.normal(size=[1, *[5, 4, 3][:rank], 2]).astype("f")
    given = np.moveaxis(x, -1, 1) if layout == "first" else x
    made = getattr(layers, f"conv{rank}d_{way}")(
        np.repeat(given, 2, 0), 3, 2, strides=1, padding="same",
        data_format=f"channels_{layout}", name="layer",
    )  # fmt: skip
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _spread(sess)
        loc, scale, bias = _parameters(sess)
        draws = np.stack([sess.run(made)[0] for _ in range(600)])
        plain = sess.run([tf.nn.convolution(tf.constant(x), loc, "SAME"),
                          tf.nn.convolution(tf.constant(x**2), scale**2, "SAME")])  # fmt: skip
        divergence = sess.run(loss)
    draws = np.moveaxis(draws, 1, -1) if layout == "first" else draws
    np.testing.assert_allclose(draws.mean(0), plain[0][0] + bias, atol=1.0)
    away = np.abs(draws.mean(0) - plain[0][0] - bias) / np.sqrt(plain[1][0] / len(draws))
    assert np.mean(away) < 1.6  # deviations of a mean
    assert abs(np.median(draws.var(0) / plain[1][0]) - 1) < 0.15
    np.testing.assert_allclose(
        divergence, np.sum(-np.log(scale) + (scale**2 + loc**2 - 1) / 2), rtol=1e-5
    )


def test_priors_biases_and_names(graph: tf.Graph) -> None:
    layer = layers.DenseFlipout(
        3, activation=tf.nn.relu, name="first", seed=4, kernel_prior_fn=None,
        bias_posterior_fn=layers.default_mean_field_normal_fn(),
        bias_prior_fn=lambda dtype, *_: tf.distributions.Normal(dtype.as_numpy_dtype(1.0), 2.0),
    )  # fmt: skip
    made = layer(tf.ones([7, 2, 2]))
    again = layer(tf.zeros([7, 2, 2]))
    assert made.shape == layer.compute_output_shape([7, 2, 2]) == [7, 2, 3]
    assert [each.name for each in tf.trainable_variables()] == [
        "first/kernel_posterior_loc:0",
        "first/kernel_posterior_untransformed_scale:0",
        "first/bias_posterior_loc:0",
        "first/bias_posterior_untransformed_scale:0",
    ]
    assert len(layer.losses) == 1
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        loss, made, again = sess.run([layer.losses[0], made, again])
        loc, raw = sess.run(tf.trainable_variables()[2:])
    scale = np.log1p(np.exp(raw))
    expected = np.log(2 / scale) + (scale**2 + (loc - 1) ** 2) / 8 - 0.5
    np.testing.assert_allclose(loss, expected.sum(), rtol=1e-5)
    assert np.all(made >= 0)
    assert again.shape == (7, 2, 3)
    singular = layers.default_mean_field_normal_fn(is_singular=True)
    with pytest.raises(TypeError, match="`DenseFlipout` requires `kernel_posterior_fn`"):
        layers.dense_flipout(tf.ones([2, 2]), 3, kernel_posterior_fn=singular)
    with pytest.raises(ValueError, match="should be defined"):
        layers.dense_flipout(tf.placeholder(tf.float32, [2, None]), 3)
    assert layers.Convolution2DFlipout is layers.Conv2DFlipout
    assert layers.convolution2d_flipout is layers.conv2d_flipout


def test_a_posterior_that_is_known(graph: tf.Graph) -> None:
    """Of one weight with a standard prior, data and their noise, q becomes Bayes' answer."""
    tf.set_random_seed(5)
    rng = np.random.default_rng(2)
    x = rng.normal(size=(20, 1))
    y = 1.5 * x + 0.5 * rng.normal(size=(20, 1))
    made = layers.dense_local_reparameterization(x, 1, bias_posterior_fn=None)
    likely = tf.reduce_sum(0.5 * tf.square((y - made) / 0.5))
    divergence = sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    rate = tf.placeholder(tf.float64, [])
    train = tf.train.AdamOptimizer(rate).minimize(likely + divergence)
    seen: list[Any] = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(900):
            sess.run(train, {rate: 0.05 if step < 500 else 0.005})
            if step >= 700:
                loc, raw = sess.run(tf.trainable_variables())
                seen.append((loc[0, 0], np.log1p(np.exp(raw[0, 0]))))
    precision = 1 + np.sum(x**2) / 0.25
    expected = np.sum(x * y) / 0.25 / precision, precision**-0.5
    np.testing.assert_allclose(np.mean(seen, 0), expected, rtol=0.12)

"""Bijectors: each undoes itself; its logarithms are those of the Jacobian that gradients give."""

import math

import numpy as np
import pytest
import scipy.stats

import minitf as tf

tfd = tf.contrib.distributions
tfb = tfd.bijectors


def test_products_of_triangles() -> None:
    bijector, x = tfb.CholeskyOuterProduct(), tf.constant([[1.0, 0.0], [0.5, 2.0]])
    with tf.Session() as sess:
        back, log_det = sess.run(
            [bijector.inverse(bijector.forward(x) + 0.0), bijector.forward_log_det_jacobian(x, 2)]
        )
    np.testing.assert_allclose(back, [[1.0, 0.0], [0.5, 2.0]], rtol=1e-5)
    assert log_det == pytest.approx(3 * math.log(2.0), rel=1e-5)  # 2^2 * 1^2 * 2


def test_transformed_distributions() -> None:
    log_normal = tfd.TransformedDistribution(tfd.Normal(0.0, 1.0), tfb.Exp(), name="LogNormal")
    normal = tfd.MultivariateNormalTriL([1.0, 2.0], [[1.0, 0.0], [0.5, 2.0]])
    flow = tfd.TransformedDistribution(
        tfd.Normal(0.0, 1.0),
        tfb.MaskedAutoregressiveFlow(tfb.masked_autoregressive_default_template([4])),
        event_shape=[2],
    )
    assert normal.sample(5).shape == [5, 2] and normal.event_shape == [2]
    draws = flow.sample(3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        density, below, middle = sess.run(
            [log_normal.log_prob(2.0), log_normal.cdf(2.0), log_normal.quantile(0.5)]
        )
        found = sess.run([normal.log_prob([1.0, 2.0]), normal.entropy(), normal.covariance()])
        assert sess.run(flow.log_prob(draws)).shape == (3,)
    assert density == pytest.approx(-1.8523122, rel=1e-5) and middle == pytest.approx(1.0)
    assert below == pytest.approx(0.7558914, rel=1e-5)
    covariance = np.array([[1.0, 0.5], [0.5, 4.25]])
    np.testing.assert_allclose(found[2], covariance)
    assert found[0] == pytest.approx(-math.log(2 * math.pi) - math.log(4.0) / 2, rel=1e-5)
    assert found[1] == pytest.approx(math.log(2 * math.pi * math.e) + math.log(4.0) / 2, rel=1e-5)
    with pytest.raises(NotImplementedError, match="mean"):
        log_normal.mean()
    with pytest.raises(ValueError, match="forward_min_event_ndims"):
        tfb.Bijector()


def test_events_in_another_shape() -> None:
    x = tf.constant([[0.3, -0.5, 0.7]])
    bijector = tfb.Reshape([3, 1], [3])
    y = bijector.forward(x)
    assert y.shape == [1, 3, 1] and bijector.inverse(tf.identity(y)).shape == [1, 3]
    assert bijector.forward_event_shape([3]) == [3, 1]
    assert bijector.inverse_event_shape([3, 1]) == [3]
    slopes = bijector.forward_log_det_jacobian(x, 1), bijector.inverse_log_det_jacobian(y, 2)
    with tf.Session() as sess:
        assert [each.tolist() for each in sess.run(slopes)] == [[0.0], [0.0]]
    with pytest.raises(ValueError, match="does not match"):
        tfb.Reshape([2, 2], [4]).forward(x)


def test_bijectors_that_change_shapes() -> None:
    x = tf.constant([[0.3, -0.5, 0.7]])
    for bijector, event, density in (
        (tfb.SoftmaxCentered(), [4], lambda y: tf.reduce_sum(tf.log(y), -1)),
        (tfb.FillTriangular(), [2, 2], lambda y: 0.0 * y[..., 0, 0]),
        (tfb.ScaleTriL(diag_shift=None), [2, 2], None),
    ):
        y = bijector.forward(x)
        again = bijector.inverse(tf.identity(y))
        assert y.shape.as_list() == [1, *event]
        assert bijector.forward_event_shape([3]).as_list() == event
        assert bijector.inverse_event_shape(event).as_list() == [3]
        slope = bijector.forward_log_det_jacobian(x, 1)
        back = bijector.inverse_log_det_jacobian(tf.identity(y), len(event))
        with tf.Session() as sess:
            values = sess.run([x, again, slope, -back])
            np.testing.assert_allclose(values[0], values[1], rtol=1e-5)
            np.testing.assert_allclose(values[2], values[3], rtol=1e-5)
            if density is not None:
                np.testing.assert_allclose(values[2], sess.run(density(y)), rtol=1e-5)


def test_triangles() -> None:
    with tf.Session() as sess:
        upper = tfd.fill_triangular([1, 2, 3, 4, 5, 6], upper=True)
        assert sess.run(upper).tolist() == [[1, 2, 3], [0, 5, 6], [0, 0, 4]]
        assert sess.run(tfd.fill_triangular_inverse(upper, upper=True)).tolist() == [*range(1, 7)]
        lower = tf.constant([[2.0, 0.0], [1.0, 4.0]])
        inverse = tfb.MatrixInverseTriL()
        assert sess.run(inverse.forward(lower)).tolist() == [[0.5, 0.0], [-0.125, 0.25]]
        slope = sess.run(inverse.forward_log_det_jacobian(lower, 2))
        np.testing.assert_allclose(slope, -4.0 * np.log(8.0), rtol=1e-6)


def test_normal_vectors_and_their_divergence() -> None:
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    mean, x = np.array([1.0, -1.0]), np.array([0.3, 0.4])
    full = tfd.MultivariateNormalFullCovariance(mean, covariance)
    low_rank = tfd.MultivariateNormalDiagPlusLowRank(
        np.zeros(2), np.ones(2), scale_perturb_factor=np.array([[1.0], [0.5]])
    )
    diagonal = tfd.MultivariateNormalDiag(np.zeros(2), np.array([1.0, 2.0]))
    other = np.eye(2) + np.outer([1.0, 0.5], [1.0, 0.5])
    with tf.Session() as sess:
        known = scipy.stats.multivariate_normal(mean, covariance)
        found = sess.run([full.log_prob(x), full.entropy(), full.mean(), full.mode()])
        np.testing.assert_allclose(found[:2], [known.logpdf(x), known.entropy()])
        assert found[2].tolist() == found[3].tolist() == [1.0, -1.0]
        np.testing.assert_allclose(sess.run(low_rank.covariance()), other @ other.T)
        assert full.sample(5).shape.as_list() == [5, 2]
        to = {low_rank: other @ other.T, diagonal: np.diag([1.0, 4.0]), full: covariance}
        for b, there in to.items():
            step = mean - sess.run(b.mean())
            solved = np.linalg.solve(there, covariance + np.outer(step, step))
            sizes = np.linalg.slogdet(there)[1] - np.linalg.slogdet(covariance)[1]
            expected = 0.5 * (np.trace(solved) - 2.0 + sizes)
            np.testing.assert_allclose(sess.run(full.kl_divergence(b)), expected, atol=1e-12)


def test_vectors_of_other_numbers() -> None:
    with tf.Session() as sess:
        exponential = tfd.VectorExponentialDiag(loc=[1.0, 2.0], scale_diag=[2.0, 3.0])
        laplace = tfd.VectorLaplaceDiag(scale_diag=[2.0, 3.0])
        assert sess.run(exponential.mean()).tolist() == [3.0, 5.0]
        np.testing.assert_allclose(sess.run(laplace.variance()), [8.0, 18.0], rtol=1e-6)
        expected = scipy.stats.expon.logpdf([2.0, 4.0], [1.0, 2.0], [2.0, 3.0]).sum()
        np.testing.assert_allclose(sess.run(exponential.log_prob([2.0, 4.0])), expected, rtol=1e-6)


def test_relaxed_numbers() -> None:
    relaxed = tfd.RelaxedBernoulli(1.0, probs=[0.3, 0.8])
    classes = tfd.ExpRelaxedOneHotCategorical(0.5, probs=[0.2, 0.3, 0.5])
    plain = tfd.RelaxedOneHotCategorical(0.5, probs=[0.2, 0.3, 0.5])
    grid = np.linspace(0.0005, 0.9995, 1000)[:, None]
    draws = classes.sample(50, seed=1)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(relaxed.prob(grid)).mean(0), 1.0, rtol=2e-2)
        soft = sess.run(relaxed.sample(2000, seed=1))
        np.testing.assert_allclose((soft > 0.5).mean(0), [0.3, 0.8], atol=0.04)
        one, two, values = sess.run([classes.log_prob(draws), plain.log_prob(tf.exp(draws)), draws])
        np.testing.assert_allclose(one, two + values.sum(-1), rtol=1e-4)
        np.testing.assert_allclose(np.exp(values).sum(-1), 1.0, rtol=1e-5)

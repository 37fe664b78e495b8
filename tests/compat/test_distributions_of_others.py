"""Distributions that are made of others, and of matrices: beside SciPy's, and sums of densities."""

import numpy as np
import pytest

import minitf as tf

stats = pytest.importorskip("scipy.stats", reason="SciPy says what is right")
tfd = tf.contrib.distributions
tfb = tfd.bijectors

SCALE = np.array([[2.0, 0.5], [0.5, 1.0]])
POINT = np.array([[3.0, 1.0], [1.0, 2.0]])


def run(*fetches):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(list(fetches))


def test_wisharts_matrices_are_those_of_scipy() -> None:
    known, root = stats.wishart(5, SCALE), np.linalg.cholesky(SCALE)
    both = tfd.WishartFull(5.0, SCALE), tfd.WishartCholesky(5.0, root)
    for made in both:
        found = run(
            made.log_prob(POINT), made.entropy(), made.mean(), made.variance(), made.mode(),
            made.scale(), made.sample(4000, seed=1), made.mean_log_det(),
        )  # fmt: skip
        expected = known.logpdf(POINT), known.entropy(), known.mean(), known.var(), known.mode()
        for ours, theirs in zip(found, expected, strict=False):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)
        np.testing.assert_allclose(found[5], SCALE)
        np.testing.assert_allclose(found[6].mean(0), known.mean(), rtol=0.05)
        np.testing.assert_allclose(np.linalg.slogdet(found[6])[1].mean(), found[7], rtol=0.05)
    roots = tfd.WishartCholesky([5.0, 6.0], root + np.zeros([2, 2, 2]), True)
    assert roots.sample(3).shape == [3, 2, 2, 2] and roots.batch_shape == [2]
    found = run(roots.log_prob(np.linalg.cholesky(POINT)), roots.mean()[0])
    np.testing.assert_allclose(found[0], [stats.wishart(n, SCALE).logpdf(POINT) for n in (5, 6)])
    np.testing.assert_allclose(found[1] @ found[1].T, known.mean())
    with pytest.raises(ValueError, match="cannot be less than dimension"):
        tfd.WishartFull(1.0, SCALE)


def test_a_batch_in_another_shape() -> None:
    loc = np.arange(6.0)
    made = tfd.BatchReshape(tfd.Normal(loc, np.float64(2.0)), [-1, 2])
    x = np.ones([4, 3, 2])
    assert made.batch_shape == [3, 2] and made.sample(5).shape == [5, 3, 2]
    found = run(made.log_prob(x), made.cdf(x), made.mean(), made.entropy())
    known = stats.norm(loc.reshape(3, 2), 2.0)
    expected = known.logpdf(x), known.cdf(x), known.mean(), known.entropy()
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs)
    vectors = tfd.BatchReshape(tfd.MultivariateNormalDiag(loc.reshape(2, 3)), [2, 1])
    assert vectors.covariance().shape == [2, 1, 3, 3]
    assert vectors.log_prob(np.ones([4, 2, 1, 3])).shape == [4, 2, 1]
    with pytest.raises(NotImplementedError, match="Broadcasting is not supported"):
        made.log_prob(np.ones([2]))
    with pytest.raises(ValueError, match=r"`batch_shape` size \(4\) must match"):
        tfd.BatchReshape(tfd.Normal(loc, np.float64(2.0)), [2, 2])


def test_draws_that_tell_of_the_next_ones() -> None:
    weights = tf.constant([[0.0, 0.0, 0.0], [0.9, 0.0, 0.0], [0.0, 0.9, 0.0]])

    def told(before=None):
        loc = tf.zeros(3) if before is None else tf.tensordot(before, weights, [[-1], [1]])
        return tfd.Independent(tfd.Normal(loc, 0.5), 1)

    made = tfd.Autoregressive(told)
    assert made.num_steps == 3 and made.event_shape == [3]
    (draws,) = run(made.sample(4000, seed=7))
    slopes = np.polyfit(draws[:, 0], draws[:, 1], 1)[0], np.polyfit(draws[:, 1], draws[:, 2], 1)[0]
    np.testing.assert_allclose(slopes, 0.9, atol=0.03)
    np.testing.assert_allclose(np.std(draws[:, 0]), 0.5, rtol=0.05)
    x = np.array([1.0, 2.0, 3.0], np.float32)
    expected = stats.norm([0.0, 0.9, 1.8], 0.5).logpdf(x).sum()
    np.testing.assert_allclose(run(made.log_prob(x)), [expected], rtol=1e-5)
    with pytest.raises(ValueError, match="must be at least 1"):
        tfd.Autoregressive(told, num_steps=0)


def test_bent_numbers() -> None:
    grid = np.linspace(-60.0, 90.0, 30001)
    made = tfd.SinhArcsinh(np.float64(1.0), np.float64(2.0), skewness=[0.0, 0.5], tailweight=1.3)
    plain = tfd.SinhArcsinh(np.float64(1.0), np.float64(2.0))
    assert made.batch_shape == [2] and made.sample(3).shape == [3, 2]
    density, at, same = run(made.prob(grid[:, None]), made.cdf(5.0), plain.log_prob(grid))
    np.testing.assert_allclose(density.sum(0) * 0.005, 1.0, rtol=1e-4)
    np.testing.assert_allclose(same, stats.norm(1, 2).logpdf(grid), rtol=1e-9)
    np.testing.assert_allclose(at[0], stats.norm.cdf(2.0))  # two standard deviations stay in place
    both = [1.0, -1.0], [2.0, 0.5]
    vectors = tfd.VectorSinhArcsinhDiag(*both, skewness=0.3, tailweight=1.2)
    numbers = tfd.SinhArcsinh(*both, skewness=0.3, tailweight=1.2)
    assert vectors.event_shape == [2] and vectors.sample(3).shape == [3, 2]
    x = [[0.5, 0.2], [3.0, -2.0]]
    found = run(vectors.log_prob(x), tf.reduce_sum(numbers.log_prob(x), -1), vectors.scale.diag)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    np.testing.assert_allclose(found[2], [2.0, 0.5])


def test_counts_of_rates_that_differ() -> None:
    loc, scale, counts = np.array([0.0, 1.0]), np.array([0.5, 0.3]), np.arange(400.0)[:, None]
    rule = tfd.quadrature_scheme_lognormal_gauss_hermite
    made = tfd.PoissonLogNormalQuadratureCompound(loc, scale, 20, rule)
    (chances, mean, variance, draws) = run(
        made.prob(counts), made.mean(), made.variance(), made.sample(4000, seed=1)
    )
    known = stats.lognorm(scale, scale=np.exp(loc))
    np.testing.assert_allclose(chances.sum(0), 1.0)
    np.testing.assert_allclose(mean, known.mean(), rtol=1e-6)
    np.testing.assert_allclose(variance, known.mean() + known.var(), rtol=1e-6)
    np.testing.assert_allclose(draws.mean(0), mean, rtol=0.05)
    grid, shares = run(*tfd.quadrature_scheme_lognormal_quantiles(loc, scale, 3))
    edges = known.ppf(np.linspace(0, 1, 6)[1:-1][:, None]).T
    np.testing.assert_allclose(grid, (edges[:, 1:] + edges[:, :-1]) / 2, rtol=1e-6)
    np.testing.assert_allclose(shares, 1 / 3)
    usual = tfd.PoissonLogNormalQuadratureCompound(loc, scale / 10)
    np.testing.assert_allclose(run(usual.prob(counts))[0].sum(0), 1.0)


def test_calls_with_conditions() -> None:
    class Shifted(tfd.ConditionalDistribution):
        def __init__(self, name="Shifted"):
            self._start(locals())

        def _log_prob(self, x, by):
            return tfd.Normal(by, 1.0).log_prob(x)

        def _sample_n(self, n, seed, by):
            return by + tf.zeros([n])

    made = tfd.ConditionalTransformedDistribution(Shifted(), tfb.Exp())
    given = {"distribution_kwargs": {"by": 2.0}}
    assert run(Shifted().sample(2, by=1.5))[0].tolist() == [1.5, 1.5]
    found = run(made.log_prob(3.0, **given), made.prob(3.0, **given), made.sample(2, **given))
    expected = stats.norm(2.0, 1.0).logpdf(np.log(3.0)) - np.log(3.0)
    np.testing.assert_allclose(found[:2], [expected, np.exp(expected)], rtol=1e-5)
    np.testing.assert_allclose(found[2], np.exp(2.0), rtol=1e-6)
    half = tfd.TransformedDistribution(tfd.Normal(0.0, 2.0), tfb.AbsoluteValue())
    draw = half.sample(3, seed=1)
    drawn, at = run(draw, half.log_prob(draw))
    np.testing.assert_allclose(at, stats.halfnorm(0, 2.0).logpdf(drawn), rtol=1e-5)


def test_statistics_that_move() -> None:
    value, log_mean = tf.placeholder(tf.float32, [2]), tf.Variable(0.0)
    mean, variance = tfd.moving_mean_variance(value, decay=0.9)
    moved = tfd.assign_log_moving_mean_exp(log_mean, np.log(3.0), decay=0.9)
    expected_mean = expected_variance = np.zeros(2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for now in ([1.0, 2.0], [3.0, -1.0]):
            found = sess.run([mean, variance], {value: now})
            change = now - expected_mean
            expected_mean = expected_mean + 0.1 * change
            expected_variance = 0.9 * (expected_variance + 0.1 * change**2)
        assert sess.run(moved) == pytest.approx(np.log(0.9 * 1.0 + 0.1 * 3.0))
    np.testing.assert_allclose(found, [expected_mean, expected_variance], rtol=1e-5)
    with pytest.raises(TypeError, match="does not have float type"):
        tfd.moving_mean_variance(tf.constant(1), 0.9)


def test_batch_normalization_of_draws() -> None:
    data = np.array([[1.0, 2.0], [3.0, 8.0], [5.0, 5.0]], np.float32)
    for training in (True, False):
        layer = tf.layers.BatchNormalization(gamma_initializer=tf.constant_initializer(2.0))
        bijector = tfb.BatchNormalization(layer, training)
        x = bijector.inverse(data)
        back, slope = bijector.forward(x + 0.0), bijector.inverse_log_det_jacobian(data, 1)
        found = run(x, slope, back, bijector.forward_log_det_jacobian(x + 0.0, 1))
        variance = data.var(0) if training else np.ones(2)
        mean = data.mean(0) if training else np.zeros(2)
        normal = 2.0 * (data - mean) / np.sqrt(variance + 1e-3)
        np.testing.assert_allclose(found[0], normal, rtol=1e-4)
        wanted = np.log(2.0 / np.sqrt(variance + 1e-3)).sum()
        np.testing.assert_allclose(found[1], wanted, rtol=1e-4)
        np.testing.assert_allclose(found[2], normal * np.sqrt(1.001) / 2.0, rtol=1e-4)
        np.testing.assert_allclose(found[3], np.log(1.001 / 4.0), rtol=1e-4)
    with pytest.raises(ValueError, match="renormalization"):
        tfb.BatchNormalization(tf.layers.BatchNormalization(renorm=True))


def test_functions_beside_distributions() -> None:
    ds = tf.contrib.distributions
    x = np.random.default_rng(0).normal(size=(3, 50, 2)).astype(np.float32)
    with tf.Session() as sess:
        lags = sess.run(ds.auto_correlation(x, axis=1, max_lags=4, normalize=False))
        w = x - x.mean(1, keepdims=True)
        for lag in range(5):
            product = (w[:, lag:] * w[:, : 50 - lag]).sum(1) / (50 - lag)
            np.testing.assert_allclose(lags[:, lag], product, atol=1e-5)
        assert sess.run(ds.auto_correlation(x, axis=1)).shape == x.shape
        known = ds.Normal(1.0, 2.0)
        seen = tf.constant(6.0)
        after = ds.normal_conjugates_known_scale_posterior(known, 1.0, seen, 3)
        following = ds.normal_conjugates_known_scale_predictive(known, 1.0, seen, 3)
        got = sess.run([after.loc, after.variance(), following.variance()])
        np.testing.assert_allclose(got, [(0.25 + 6) / 3.25, 1 / 3.25, 1 / 3.25 + 1], rtol=1e-6)
        weights = [[-1.0, 1.0, 1.0], [1.0, 1.0, -5.0]]
        found = ds.reduce_weighted_logsumexp(
            tf.fill([2, 3], 200.0), weights, axis=1, return_sign=True
        )
        size, sign = sess.run(found)
        np.testing.assert_allclose(size, [200.0, 200.0 + np.log(3.0)], rtol=1e-6)
        assert sign.tolist() == [1.0, -1.0]
        three = ds.tridiag([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0])
        wanted = np.diag([1.0, 2, 3], -1) + np.diag([4.0, 5, 6, 7]) + np.diag([8.0, 9, 10], 1)
        assert sess.run(three).tolist() == wanted.tolist()
        two = sess.run(ds.matrix_diag_transform(np.ones((2, 2), np.float32), tf.exp))
        np.testing.assert_allclose(np.diag(two), np.e, rtol=1e-6)
    with pytest.raises(ValueError, match="at least one of"):
        ds.tridiag()
    with pytest.raises(TypeError, match="does not match prior dtype"):
        ds.normal_conjugates_known_scale_posterior(known, 1.0, tf.constant(6), 3)
    first, other = ds.SeedStream(3, "a"), ds.SeedStream(3, "b")
    assert len({first(), first(), other()}) == 3
    assert ds.SeedStream(first, "a")() == ds.SeedStream(3, "a")()
    assert ds.SeedStream(None, "a")() is None

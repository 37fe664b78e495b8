"""The distributions of `tf.contrib.distributions`, beside SciPy's."""

import inspect

import numpy as np
import pytest

import minitf as tf

stats = pytest.importorskip("scipy.stats", reason="SciPy says what is right")
tfd = tf.contrib.distributions
two, three, five = map(np.float64, (2.0, 3.0, 5.0))
third = np.float64(0.3)

MADE = {
    "Cauchy": (lambda: tfd.Cauchy(two, three), stats.cauchy(2, 3)),
    "Logistic": (lambda: tfd.Logistic(two, three), stats.logistic(2, 3)),
    "HalfNormal": (lambda: tfd.HalfNormal(two), stats.halfnorm(0, 2)),
    "InverseGamma": (lambda: tfd.InverseGamma(five, two), stats.invgamma(5, scale=2)),
    "Chi2": (lambda: tfd.Chi2(five), stats.chi2(5)),
    "Binomial": (lambda: tfd.Binomial(five, probs=third), stats.binom(5, 0.3)),
    "NegativeBinomial": (
        lambda: tfd.NegativeBinomial(five, probs=third), stats.nbinom(5, 0.7),
    ),
    "Geometric": (lambda: tfd.Geometric(probs=third), stats.geom(0.3, loc=-1)),
    "Poisson": (lambda: tfd.Poisson(three), stats.poisson(3)),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_values_are_those_of_scipy(name: str) -> None:
    make, known = MADE[name]
    made, x = make(), np.array([0.0, 1.0, 4.0, 7.0])
    if not hasattr(known.dist, "pmf"):
        x = x + 0.5
    x = x[:3] if name == "Binomial" else x
    expected = {
        "log_prob": known.logpmf(x) if hasattr(known.dist, "pmf") else known.logpdf(x),
        "cdf": known.cdf(x), "quantile": known.ppf([0.2, 0.5, 0.9]),
        "mean": known.mean(), "variance": known.var(), "entropy": known.entropy(),
    }  # fmt: skip
    with tf.Session() as sess:
        for what, value in expected.items():
            args = {"log_prob": [x], "cdf": [x], "quantile": [[0.2, 0.5, 0.9]]}.get(what, [])
            try:
                found = sess.run(getattr(made, what)(*args))
            except NotImplementedError:
                assert what in ("cdf", "quantile", "entropy")
                continue
            np.testing.assert_allclose(found, value, rtol=1e-9, err_msg=what)
        draws = sess.run(made.sample(20000, seed=1))
        np.testing.assert_allclose(np.mean(draws <= x[1]), known.cdf(x[1]), atol=0.02)


def test_kumaraswamys_density_is_the_slope_of_its_cdf() -> None:
    made, grid = tfd.Kumaraswamy(two, three), np.linspace(0.0, 1.0, 2001)
    middle = (grid[1:] + grid[:-1]) / 2
    with tf.Session() as sess:
        below, density = sess.run([made.cdf(grid), made.prob(middle)])
        np.testing.assert_allclose(np.diff(below) * 2000, density, atol=1e-5)
        np.testing.assert_allclose(sess.run(made.mean()), (middle * density).mean(), rtol=1e-5)
        assert sess.run(made.cdf(made.quantile(third))) == pytest.approx(0.3)


def test_rows_have_signatures() -> None:
    assert list(inspect.signature(tfd.Cauchy).parameters)[:2] == ["loc", "scale"]
    assert inspect.signature(tfd.Binomial).parameters["probs"].default is None
    with tf.Session() as sess:
        assert sess.run(tfd.Chi2(3.0).copy(df=4.0).mean()) == 4.0


def test_parameters_through_functions() -> None:
    softplus = np.log1p(np.exp(1.0))
    assert list(inspect.signature(tfd.NormalWithSoftplusScale).parameters)[:2] == ["loc", "scale"]
    with tf.Session() as sess:
        found = [
            tfd.NormalWithSoftplusScale(0.0, 1.0).scale,
            tfd.GammaWithSoftplusConcentrationRate(1.0, 2.0).concentration,
            tfd.StudentTWithAbsDfSoftplusScale(-3.5, 0.0, 1.0).df,
            tfd.Chi2WithAbsDf(-3.5).mean(),
            tfd.MultivariateNormalDiagWithSoftplusScale([0.0], [1.0]).stddev()[0],
        ]
        expected = [softplus, softplus, 3.0, 3.0, softplus]
        np.testing.assert_allclose(sess.run(found), expected, rtol=1e-6)


def test_mixtures() -> None:
    weights, means, widths = np.array([0.2, 0.8]), np.array([-1.0, 2.0]), np.array([0.5, 1.5])
    x = np.array([-1.0, 0.0, 3.0])
    parts = [stats.norm(mean, width) for mean, width in zip(means, widths, strict=True)]
    density = sum(weight * part.pdf(x) for weight, part in zip(weights, parts, strict=True))
    mean = weights @ means
    variance = weights @ (widths**2 + means**2) - mean**2
    chances = tfd.Categorical(probs=weights)
    several = [tfd.Normal(*each) for each in zip(means, widths, strict=True)]
    for mixture in (
        tfd.Mixture(chances, several), tfd.MixtureSameFamily(chances, tfd.Normal(means, widths))
    ):  # fmt: skip
        assert mixture.batch_shape.as_list() == [] and mixture.sample([2, 3]).shape == [2, 3]
        with tf.Session() as sess:
            found = sess.run([mixture.prob(x), mixture.mean(), mixture.variance()])
            np.testing.assert_allclose(found[0], density)
            np.testing.assert_allclose(found[1:], [mean, variance])
            draws = sess.run(mixture.sample(20000, seed=2))
            np.testing.assert_allclose(
                [draws.mean(), draws.std()], [mean, variance**0.5], rtol=0.05
            )


def test_mixtures_of_vectors() -> None:
    chances = tfd.Categorical(logits=np.zeros([3, 2], np.float32))
    loc = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    same = tfd.MixtureSameFamily(chances, tfd.MultivariateNormalDiag(loc))
    mixed = tfd.Mixture(chances, [tfd.MultivariateNormalDiag(loc[:, i]) for i in range(2)])
    assert same.batch_shape == mixed.batch_shape == [3] and same.event_shape == [2]
    with tf.Session() as sess:
        a, b = sess.run([[d.log_prob(loc[:, 0]), d.mean(), d.variance()] for d in (same, mixed)])
        for one, two in zip(a, b, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-5)
        assert sess.run(same.sample(4)).shape == sess.run(mixed.sample(4)).shape == (4, 3, 2)
    with pytest.raises(ValueError, match="one for each class"):
        tfd.Mixture(chances, [])


def test_numbers_that_are_rounded_up() -> None:
    made = tfd.QuantizedDistribution(tfd.Logistic(two, three), low=0.0, high=5.0)
    known = stats.logistic(2, 3)
    with tf.Session() as sess:
        found = sess.run(made.prob([0.0, 1.0, 4.0, 5.0]))
        expected = [known.cdf(0), *(known.cdf(k) - known.cdf(k - 1) for k in (1, 4)), known.sf(4)]
        np.testing.assert_allclose(found, expected)
        assert sess.run(made.cdf([-1.0, 5.0])).tolist() == [0.0, 1.0]
        assert set(sess.run(made.sample(500, seed=1))) == {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}


def test_fixed_values() -> None:
    with tf.Session() as sess:
        number = tfd.Deterministic([1.0, 2.0], atol=0.1)
        assert sess.run(number.prob([1.05, 2.2])).tolist() == [1.0, 0.0]
        assert sess.run(number.sample(2)).tolist() == [[1.0, 2.0]] * 2
        vector = tfd.VectorDeterministic([[1.0, 2.0], [3.0, 4.0]])
        assert vector.event_shape == [2] and vector.batch_shape == [2]
        assert sess.run(vector.prob([1.0, 2.0])).tolist() == [1.0, 0.0]
        assert sess.run([number.variance(), vector.entropy()])[1].tolist() == [0.0, 0.0]

"""`tf.contrib.bayesflow.csiszar_divergence`: formulas, symmetries, and means over draws."""

import math

import numpy as np
import pytest

import minitf as tf
from tests.graphs import sess as sess

cd = tf.contrib.bayesflow.csiszar_divergence
ds = tf.distributions
LOGU = np.linspace(-5.0, 5.0, 41)
U = np.exp(LOGU)
LN2 = math.log(2.0)
#: f(u) of each name, and what self_normalized adds
FORMULAS = {
    "kl_reverse": (-LOGU, U - 1),
    "kl_forward": (U * LOGU, 1 - U),
    "jensen_shannon": (U * LOGU - (1 + U) * np.log(1 + U), (1 + U) * LN2),
    "arithmetic_geometric": ((1 + U) * np.log((1 + U) / np.sqrt(U)), -(1 + U) * LN2),
    "modified_gan": (np.log(1 + U) - LOGU, (U - 1) / 2),
    "total_variation": (np.abs(U - 1) / 2, None),
    "pearson": ((U - 1) ** 2, None),
    "squared_hellinger": ((np.sqrt(U) - 1) ** 2, None),
    "triangular": ((U - 1) ** 2 / (1 + U), None),
    "log1p_abs": (np.where(U > 1, U, 1 / U) - 1, None),
    "jeffreys": ((U - 1) * LOGU / 2, None),
    "chi_square": (U**2 - 1, None),
}
SYMMETRIC = ["squared_hellinger", "triangular", "jeffreys", "jensen_shannon", "total_variation",
             "arithmetic_geometric"]  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_each_has_its_formula(sess, name):
    f, (value, more) = getattr(cd, name), FORMULAS[name]
    np.testing.assert_allclose(sess.run(f(LOGU)), value, rtol=1e-9, atol=1e-12)
    if more is not None:
        np.testing.assert_allclose(sess.run(f(LOGU, True)), value + more, rtol=1e-6, atol=1e-9)
    assert f.__name__ == name and "f(u) = " in f.__doc__ and "logu" in f.__doc__
    assert f(tf.constant([1.0], tf.float32), name="mine").name.startswith("mine/")


def _all_normalized():
    for name, (_, more) in FORMULAS.items():
        if more is not None:
            f = getattr(cd, name)
            yield name, lambda v, f=f: f(v, self_normalized=True)
    for alpha in (-1.0, 0.0, 0.5, 1.0, 2.0):
        yield f"alpha {alpha}", lambda v, a=alpha: cd.amari_alpha(v, a, self_normalized=True)
    for t in (-0.5, 0.3, 2.0):
        yield f"t {t}", lambda v, t=t: cd.t_power(v, t, self_normalized=True)


@pytest.mark.parametrize(("name", "f"), list(_all_normalized()), ids=lambda v: str(v)[:12])
def test_normalized_ones_are_convex_and_least_at_one(sess, name, f):
    at, slope = sess.run((lambda v: (f(v), tf.gradients(f(v), v)[0]))(tf.constant([0.0])))
    assert at == pytest.approx(LN2 if name == "modified_gan" else 0.0, abs=1e-6)
    assert slope == pytest.approx(0.0, abs=1e-6)
    values = sess.run(f(tf.log(tf.linspace(tf.constant(0.1, tf.float64), 4.0, 50))))
    assert np.all(np.diff(values, 2) > 0) and np.all(values >= at)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_ones_are_their_own_duals(sess, name):
    f = getattr(cd, name)
    v = tf.constant(LOGU)
    here, dual, both = sess.run(
        [f(v), cd.dual_csiszar_function(v, f), cd.symmetrized_csiszar_function(v, f)]
    )
    np.testing.assert_allclose(dual, here, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(both, here, rtol=1e-9, atol=1e-9)


def test_one_is_the_dual_or_the_mean_of_others(sess):
    v = tf.constant(LOGU)
    pairs = [
        (cd.dual_csiszar_function(v, cd.kl_reverse), cd.kl_forward(v)),
        (cd.symmetrized_csiszar_function(v, cd.kl_forward), cd.jeffreys(v)),
        (cd.amari_alpha(v, 0.0), cd.kl_reverse(v)),
        (cd.amari_alpha(v, 1.0), cd.kl_forward(v)),
        (cd.amari_alpha(v, 2.0, self_normalized=True), 0.5 * cd.pearson(v)),
        (cd.amari_alpha(v, 0.5, self_normalized=True), 2.0 * cd.squared_hellinger(v)),
        (cd.t_power(v, 2.0), cd.chi_square(v)),
        (cd.t_power(v, 0.5), 0.25 * cd.amari_alpha(v, 0.5)),
        (cd.t_power(v, [[0.3], [3.0]])[1], cd.t_power(v, 3.0)),
    ]
    for i, (one, other) in enumerate(sess.run(pairs)):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=str(i))


def test_settings_are_numbers_of_python():
    for bad in (None, tf.constant(1.0)):
        with pytest.raises(TypeError, match="`alpha` cannot be `None` or `Tensor` type."):
            cd.amari_alpha(0.0, alpha=bad)
        for f in (cd.amari_alpha, cd.kl_forward):
            with pytest.raises(TypeError, match="`self_normalized` cannot be"):
                f(0.0, self_normalized=bad)


def test_a_mean_over_draws_comes_near_the_divergence(sess):
    p, q = ds.Normal(0.3, 1.0), ds.Normal([0.0, 0.5], [1.2, 1.1])
    cases = [(cd.kl_forward, ds.kl_divergence(p, q)), (cd.kl_reverse, ds.kl_divergence(q, p))]
    for f, exact in cases:
        for normalized in (False, True):
            found = cd.monte_carlo_csiszar_f_divergence(
                lambda v, f=f, how=normalized: f(v, how), p.log_prob, q, 40000, seed=1
            )
            assert found.shape.as_list() == [2]
            near, right = sess.run([found, exact])
            np.testing.assert_allclose(near, right, atol=0.015)
    # p itself, as TensorFlow 1.3 wanted it
    near = cd.monte_carlo_csiszar_f_divergence(cd.kl_reverse, p, q, 40000, seed=1)
    np.testing.assert_allclose(*sess.run([near, cases[1][1]]), atol=0.015)


def test_both_kinds_of_gradients_come_near_the_exact_one(sess):
    p, scale = ds.Normal(0.3, 1.0), tf.constant(1.4)
    q = ds.Normal(0.0, scale)
    exact = tf.gradients(ds.kl_divergence(q, p), scale)[0]
    for through in (None, True, False):
        found = cd.monte_carlo_csiszar_f_divergence(
            lambda v: cd.kl_reverse(v, self_normalized=True), p.log_prob, q, 100000, through, seed=2
        )
        near, right = sess.run([tf.gradients(found, scale)[0], exact])
        assert near == pytest.approx(right, abs=0.03)


def test_gradients_go_through_no_draws_of_a_discrete_law(sess):
    probs = tf.constant(0.3)
    q, p = ds.Bernoulli(probs=probs, dtype=tf.float32), ds.Bernoulli(probs=0.6, dtype=tf.float32)
    with pytest.raises(ValueError, match="`q` must be reparameterized"):
        cd.monte_carlo_csiszar_f_divergence(cd.kl_reverse, p.log_prob, q, 10, True)
    with pytest.raises(TypeError, match="`p_log_prob` must be a Python `callable` function."):
        cd.monte_carlo_csiszar_f_divergence(cd.kl_reverse, 3.0, q, 10)
    found = cd.monte_carlo_csiszar_f_divergence(cd.kl_reverse, p.log_prob, q, 40000, seed=3)
    slope = math.log(0.3 / 0.7) - math.log(0.6 / 0.4)  # of KL[q, p] by q's probability
    value = 0.3 * math.log(0.5) + 0.7 * math.log(0.7 / 0.4)
    near = sess.run([found, tf.gradients(found, probs)[0]])
    np.testing.assert_allclose(near, [value, slope], atol=0.05)


# ---- means of several draws ------------------------------------------------------------------


def _swapped(logu):
    """log(mean(u)), and that with each u replaced by the geometric mean of the others."""
    logu = np.asarray(logu, np.longdouble)
    n, each = len(logu), []
    for i in range(n):
        others = np.delete(logu, i, 0)
        each.append(np.logaddexp.reduce([*others, others.mean(0)], 0) - np.log(n))
    return np.logaddexp.reduce(logu, 0) - np.log(n), np.array(each)


@pytest.mark.parametrize(
    "logu",
    [
        np.linspace(-100.0, 100.0, 100).reshape(10, 2, 5),
        np.float32([0.0, 700.0, -1.0, 1.0]),
        np.float32([0.0, -1000.0, -1.0, 1.0]),
    ],
)
def test_the_helper_of_vimco_leaves_one_out(sess, logu):
    x = tf.constant(logu)
    mean, without = cd.csiszar_vimco_helper(x)
    assert mean.shape.as_list() == list(logu.shape[1:]) and without.shape == logu.shape
    found = sess.run([mean, without])
    for one, right in zip(found, _swapped(logu), strict=True):
        np.testing.assert_allclose(one, right.astype(one.dtype), rtol=1e-5)
    # to raise all u by a factor raises each mean by it
    slopes = sess.run([tf.gradients(mean, x)[0], tf.gradients(without, x)[0]])
    np.testing.assert_allclose(slopes[0].sum(0), np.ones(logu.shape[1:]), rtol=5e-5)
    np.testing.assert_allclose(slopes[1].mean(0), np.ones(logu.shape[1:]), rtol=5e-5)


def test_vimco_has_the_gradient_of_its_mean_with_less_variance(sess):
    p, probs = ds.Bernoulli(probs=0.8, dtype=tf.float32), tf.constant(0.35)
    q = ds.Bernoulli(probs=probs, dtype=tf.float32)
    found = cd.csiszar_vimco(cd.kl_reverse, p.log_prob, q, 3, 20000, seed=4)
    got, slope = sess.run([found, tf.gradients(found, probs)[0]])

    def exact(chance):
        ratios = {0: 0.2 / (1 - chance), 1: 0.8 / chance}
        total = 0.0
        for ones in range(4):
            weight = math.comb(3, ones) * chance**ones * (1 - chance) ** (3 - ones)
            total -= weight * math.log((ones * ratios[1] + (3 - ones) * ratios[0]) / 3)
        return total

    assert got == pytest.approx(exact(0.35), abs=0.02)
    assert slope == pytest.approx((exact(0.351) - exact(0.349)) / 0.002, abs=0.05)
    with pytest.raises(ValueError, match="Must specify num_draws > 1"):
        cd.csiszar_vimco(cd.kl_reverse, p.log_prob, q, 1)

"""`tf.contrib.bayesflow`: chains draw from the densities they are given."""

from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.special

import minitf as tf

hmc, mh = tf.contrib.bayesflow.hmc, tf.contrib.bayesflow.metropolis_hastings
MEAN = np.array([1.0, -2.0])
COVARIANCE = np.array([[2.0, 1.2], [1.2, 1.0]])
PRECISION = np.linalg.inv(COVARIANCE)


def _normal(x: Any) -> Any:
    """log p of a correlated normal law, but for a constant; chains are the axes before the last."""
    away = x - tf.constant(MEAN)
    return -0.5 * tf.reduce_sum(away * tf.tensordot(away, tf.constant(PRECISION), 1), -1)


def _near(
    draws: np.ndarray, mean: Any = MEAN, covariance: Any = COVARIANCE, atol: float = 0.12
) -> None:
    np.testing.assert_allclose(draws.mean(0), mean, atol=atol)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=2 * atol)


def test_rolling_keeps_energy_and_comes_back(graph: tf.Graph) -> None:
    """On a parabola positions are sines; with the momentum turned, the way is gone back."""
    slope = lambda x: (0.5 * tf.reduce_sum(x * x), x)  # noqa: E731
    x, m = tf.constant([1.0, 0.0, 2.0], tf.float64), tf.constant([0.0, 1.0, -1.0], tf.float64)
    made = hmc.leapfrog_integrator(0.01, 100, x, m, slope, slope(x)[1])
    back = hmc.leapfrog_integrator(0.01, 100, made[0], -made[1], slope, made[3])
    one = hmc.leapfrog_step(0.5, x, m, slope, x)
    with tf.Session() as sess:
        (position, momentum, potential, grad), back, one = sess.run([made, back, one])
    x, m = np.array([1.0, 0.0, 2.0]), np.array([0.0, 1.0, -1.0])
    np.testing.assert_allclose(position, x * np.cos(1) + m * np.sin(1), atol=1e-4)
    np.testing.assert_allclose(potential + 0.5 * np.sum(momentum**2), 3.5, atol=1e-3)
    np.testing.assert_allclose(grad, position)
    np.testing.assert_allclose(back[0], x, atol=1e-12)
    half = m - 0.25 * x
    np.testing.assert_allclose(one[0], x + 0.5 * half)
    np.testing.assert_allclose(one[1], half - 0.25 * (x + 0.5 * half))


def test_chains_of_a_correlated_normal_law(graph: tf.Graph) -> None:
    states, results = hmc.sample_chain(
        num_results=150, target_log_prob_fn=_normal, current_state=tf.zeros([40, 2], tf.float64),
        step_size=0.5, num_leapfrog_steps=4, num_burnin_steps=30, num_steps_between_results=1,
        seed=3,
    )  # fmt: skip
    spread = tf.contrib.bayesflow.mcmc_diagnostics.potential_scale_reduction(states)
    with tf.Session() as sess:
        states, results, spread = sess.run([states, results, spread])
    assert states.shape == (150, 40, 2)
    _near(states.reshape(-1, 2))
    assert results.is_accepted.shape == (150, 40)
    np.testing.assert_allclose(
        results.is_accepted.mean(), results.acceptance_probs.mean(), atol=0.02
    )
    assert 0.7 < results.is_accepted.mean() < 1
    away = states - MEAN
    expected = -0.5 * np.einsum("nci,ij,ncj->nc", away, PRECISION, away)
    np.testing.assert_allclose(results.current_target_log_prob, expected, atol=1e-9)
    np.testing.assert_allclose(results.current_grads_target_log_prob, -away @ PRECISION, atol=1e-9)
    taken = results.is_accepted[..., None]
    proposed = np.where(taken, results.proposed_state, states)
    np.testing.assert_allclose(proposed, states)
    means = states.mean(0)
    within, between = states.var(0).mean(0), means.var(0, ddof=1)
    rhat = 41 / 40 * (within + between) / within - 149 / (40 * 150)
    np.testing.assert_allclose(spread, rhat, rtol=1e-9)
    assert np.all(np.abs(spread - 1) < 0.1)


def test_states_of_several_parts_and_steps_too_long(graph: tf.Graph) -> None:
    """Two tensors are one state; steps that are much too long are never taken, nor NaN."""

    def log_p(level: Any, scale: Any) -> Any:
        return -0.5 * level**2 - 0.5 * tf.reduce_sum((scale - level[:, None]) ** 2, 1)

    start = [tf.zeros([30], tf.float64), tf.zeros([30, 2], tf.float64)]
    (level, scale), _ = hmc.sample_chain(150, log_p, start, [0.4, 0.6], 4, 20, seed=1)
    wild = lambda x: -tf.exp(tf.reduce_sum(x**4, -1))  # noqa: E731
    state, results = hmc.kernel(wild, tf.ones([5, 2], tf.float64), 100.0, 3, seed=1)
    with tf.Session() as sess:
        level, scale, state, results = sess.run([level, scale, state, results])
    draws = np.concatenate([level[..., None], scale], 2).reshape(-1, 3)
    _near(draws, np.zeros(3), [[1, 1, 1], [1, 2, 1], [1, 1, 2]])
    np.testing.assert_array_equal(state, np.ones((5, 2)))
    np.testing.assert_array_equal(results.acceptance_probs, np.zeros(5))


def test_the_older_arguments(graph: tf.Graph) -> None:
    """`chain` and `kernel` of 1.5: an axis of events may stand first."""
    tf.set_random_seed(5)
    flipped = lambda x: _normal(tf.transpose(x))  # noqa: E731
    start = tf.zeros([2, 30], tf.float64)
    states, accepted = hmc.chain(200, 0.5, 4, start, flipped, event_dims=[0])
    single = lambda x: tf.reduce_sum(-0.5 * tf.square(x))  # noqa: E731
    new = hmc.kernel(0.3, 3, tf.ones([4], tf.float64), single, event_dims=[0])
    each, _ = hmc.chain(200, 0.8, 3, tf.zeros([50], tf.float64), lambda x: -0.5 * x**2)
    with tf.Session() as sess:
        states, accepted, new, each = sess.run([states, accepted, new, each])
    assert states.shape == (200, 2, 30)
    assert accepted.shape == (200, 30)
    _near(states[20:].transpose(0, 2, 1).reshape(-1, 2))
    x, probability, log_p, grad = new
    assert probability.shape == ()
    np.testing.assert_allclose(log_p, -0.5 * np.sum(x**2))
    np.testing.assert_allclose(grad, -x)
    np.testing.assert_allclose(each[20:].var(), 1.0, atol=0.1)


def test_the_integral_of_a_density(graph: tf.Graph) -> None:
    """Of exp(2x - 3 exp(x)), which is gamma(2) / 3^2 a number."""
    tf.set_random_seed(6)
    proposal = lambda x: tf.reduce_sum(-0.5 * x**2 - 0.5 * np.log(2 * np.pi), 1)  # noqa: E731
    target = lambda x: tf.reduce_sum(2.0 * x - 3.0 * tf.exp(x), 1)  # noqa: E731
    start = tf.random_normal([100, 3], dtype=tf.float64, seed=1)
    state, weights, results = hmc.sample_annealed_importance_chain(
        proposal, 60, target, start, 0.3, 2, seed=2
    )
    older = hmc.ais_chain(60, 0.3, 2, start, target, proposal, event_dims=[1])
    with tf.Session() as sess:
        state, weights, results, older = sess.run([state, weights, results, older])
    expected = 3 * (scipy.special.gammaln(2) - 2 * np.log(3))
    numeric, _ = scipy.integrate.quad(lambda x: np.exp(2 * x - 3 * np.exp(x)), -30, 10)
    np.testing.assert_allclose(3 * np.log(numeric), expected, rtol=1e-6)
    for each in (weights, older[0]):
        assert each.shape == (100,)
        found = scipy.special.logsumexp(each) - np.log(100)
        np.testing.assert_allclose(found, expected, atol=0.25)
    # exp(x) is Gamma(2, 3) in the end: its mean is 2 / 3.
    np.testing.assert_allclose(np.exp(state).mean(), 2 / 3, atol=0.12)
    assert older[1].shape == (100, 3)
    assert older[2].shape == results.acceptance_probs.shape == (100,)


@pytest.mark.parametrize("propose", [mh.proposal_normal(1.2, 3), mh.proposal_uniform(2.0, 3)])
def test_random_walks(graph: tf.Graph, propose: Any) -> None:
    """Many chains in variables, moved some steps at a time."""
    state = tf.get_variable("state", initializer=tf.zeros([2000, 2], tf.float64))
    density = tf.get_variable("density", initializer=_normal(tf.zeros([2000, 2], tf.float64)))
    ratio = tf.get_variable("ratio", initializer=tf.zeros([2000], tf.float64))
    step = mh.evolve(state, density, ratio, _normal, propose, n_steps=40, seed=7)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(step)
        state, density, expected = sess.run([state, density, _normal(state)])
    _near(state, atol=0.15)
    np.testing.assert_allclose(density, expected, atol=1e-9)


def test_proposals_to_one_side(graph: tf.Graph) -> None:
    """A lopsided proposal needs its ratio: x' = x exp(e) makes more of larger ones."""
    tf.set_random_seed(8)

    def propose(x: Any) -> tuple:
        e = tf.random_normal(tf.shape(x), dtype=x.dtype)
        return x * tf.exp(e), e  # q(x|x') / q(x'|x) = x' / x

    x = tf.ones([4000], tf.float64)
    log_p = lambda x: 2.0 * tf.log(x) - 3.0 * x  # noqa: E731
    results = None
    for _ in range(30):
        x, results = mh.kernel(log_p, propose, x, seed=None)
    with tf.Session() as sess:
        x, results = sess.run([x, results])
    np.testing.assert_allclose([x.mean(), x.var()], [1.0, 1 / 3], atol=0.06)  # Gamma(3, 3)
    taken = results.is_accepted
    np.testing.assert_allclose(x[taken], results.proposed_state[taken])
    with pytest.raises(ValueError, match="must be `>= 1`"):
        tf.contrib.bayesflow.mcmc_diagnostics.potential_scale_reduction(x, 0)

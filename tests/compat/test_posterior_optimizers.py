"""`tf.contrib.bayesflow.optimizers`: single steps, and the law that many steps draw from."""

import math

import numpy as np
import pytest

import minitf as tf
from tests.graphs import sess as sess

optimizers = tf.contrib.bayesflow.optimizers
SGLD, VSGD = optimizers.SGLDOptimizer, optimizers.VariationalSGDOptimizer


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
@pytest.mark.parametrize("resource", [False, True])
def test_a_step_before_there_is_noise(sess, dtype, resource):
    var = tf.Variable([1.1, 2.1], dtype=dtype, use_resource=resource)
    rows = tf.Variable([[3.0], [4.0]], dtype=dtype, use_resource=resource)
    opt = SGLD(tf.constant(3.0), preconditioner_decay_rate=0.53, num_pseudo_batches=2)
    slices = tf.IndexedSlices(tf.constant([[0.01]], dtype), tf.constant([1]), tf.constant([2, 1]))
    count = tf.Variable(0, trainable=False)
    step = opt.apply_gradients([(tf.constant([0.1, 0.2], dtype), var), (slices, rows)], count)
    sess.run(tf.global_variables_initializer())
    sess.run(step)

    def after(start, grad):
        return start - 3.0 * 0.5 * 2 * grad / math.sqrt(0.53 + 0.47 * grad**2 + 1e-8)

    rough = 5e-3 if dtype == tf.float16 else 1e-6
    np.testing.assert_allclose(sess.run(var), [after(1.1, 0.1), after(2.1, 0.2)], rtol=rough)
    np.testing.assert_allclose(sess.run(rows), [[3.0], [after(4.0, 0.01)]], rtol=rough)
    assert sess.run([count, opt._counter]) == [1, 1]
    assert opt.get_slot_names() == ["rms"]


def test_each_optimizer_has_a_scope_of_its_own():
    one, other = SGLD(1.0), SGLD(1.0)
    assert one.variable_scope.name != other.variable_scope.name
    assert one._counter.op.name == one.variable_scope.name + "/counter"
    with tf.variable_scope("mine") as scope:
        pass
    assert VSGD(1, 1, variable_scope=scope)._counter.op.name == "mine/counter"
    assert VSGD(1, 1, name="Other").get_name() == "Other"


def test_many_steps_are_draws_from_the_posterior(sess):
    # loss x^2 / 2 and G = 1: x' = (1 - n lr / 2) x + sqrt(lr) noise, whose variance is that of
    # the posterior, 1 / n, over 1 - n lr / 4
    rate, n = 0.2, 2
    x = tf.Variable(tf.zeros([20000]))
    step = SGLD(rate, 1.0, n, burnin=0).minimize(tf.reduce_sum(x * x) / 2)
    tf.set_random_seed(1)
    sess.run(tf.global_variables_initializer())
    sess.run(step)
    assert not np.any(sess.run(x))  # noise begins after the burn-in
    for _ in range(40):
        sess.run(step)
    found = sess.run(x)
    assert found.mean() == pytest.approx(0.0, abs=0.02)
    assert found.var() == pytest.approx(1 / (n * (1 - n * rate / 4)), rel=0.03)


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_rates_are_limited(sess, dtype):
    grads = [tf.constant([0.1, 0.1], dtype), tf.constant([0.01, 0.01], dtype)]
    for burnin, limit in ((0, 1.0), (25, 3.0)):
        pair = [tf.Variable([1.1, 2.1], dtype=dtype), tf.Variable([3.0, 4.0], dtype=dtype)]
        opt = VSGD(2, 10, 1.0, 0.5, burnin, burnin_max_learning_rate=3.0)
        step = opt.apply_gradients(zip(grads, pair, strict=True))
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        rough = 2e-3 if dtype == tf.float16 else 1e-6
        right = [[1.1 - 0.1 * limit, 2.1 - 0.1 * limit], [3 - 0.01 * limit, 4 - 0.01 * limit]]
        np.testing.assert_allclose(sess.run(pair), right, rtol=rough)


@pytest.mark.parametrize("resource", [False, True])
def test_rates_come_from_the_variance_of_gradients(sess, resource):
    # in the first step it is estimated as (1 - decay) decay gradient^2
    grads = tf.placeholder(tf.float32, [2])
    var = tf.Variable([1.0, 1.0], use_resource=resource)
    rows = tf.Variable([[1.0], [1.0], [1.0]], use_resource=resource)
    one = tf.Variable([1.0, 1.0], use_resource=resource)
    slices = tf.IndexedSlices(grads[:, None], tf.constant([2, 0]), tf.constant([3, 1]))
    make = lambda **how: VSGD(4, 1000, 1e9, 0.5, 0, **how)  # noqa: E731
    opt = make()
    steps = [opt.apply_gradients([(grads, var), (slices, rows)]),
             make(use_single_learning_rate=True).apply_gradients([(grads, one)])]  # fmt: skip
    sess.run(tf.global_variables_initializer())
    sess.run(steps, {grads: [2.0, -1.0]})
    rates = 2 * 4 / (1000 * 4 * 0.25 * np.array([4.0, 1.0]))
    right = 1 - rates * [2.0, -1.0]
    np.testing.assert_allclose(sess.run(var), right, rtol=1e-5)
    np.testing.assert_allclose(sess.run(rows)[:, 0], [right[1], 1.0, right[0]], rtol=1e-5)
    mean = 2 * 4 / (1000 * 4 * 0.25 * 2.5)
    np.testing.assert_allclose(sess.run(one), 1 - mean * np.array([2.0, -1.0]), rtol=1e-5)
    np.testing.assert_allclose(sess.run(opt.get_slot(var, "first_moment")), [2.0, -1.0])
    sess.run(steps, {grads: [1.0, 1.0]})
    np.testing.assert_allclose(sess.run(opt.get_slot(var, "first_moment")), [1.5, 0.0])
    np.testing.assert_allclose(sess.run(var), right - rates, rtol=1e-5)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"learning_rate": -1.0}, "`learning_rate` must be non-negative"),
        ({"preconditioner_decay_rate": 1.5}, "`preconditioner_decay_rate` must be at most 1."),
        ({"preconditioner_decay_rate": -0.5}, "`preconditioner_decay_rate` must be non-negative"),
        ({"num_pseudo_batches": 0}, "`num_pseudo_batches` must be greater than zero"),
        ({"burnin": -1}, "`burnin` must be non-negative"),
        ({"diagonal_bias": -1.0}, "`diagonal_bias` must be non-negative"),
    ],
)
def test_settings_are_checked_while_steps_run(sess, settings, text):
    held = {k: tf.placeholder_with_default(tf.constant(v), []) for k, v in settings.items()}
    var = tf.Variable([1.0])
    step = SGLD(**{"learning_rate": 1.0, **held}).minimize(var)
    sess.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(step)


def test_a_limit_that_decays_is_followed(sess):
    var, limit = tf.Variable([1.0]), tf.Variable(3.0)
    step = VSGD(2, 10, limit, 0.5, 0).apply_gradients([(tf.constant([0.1]), var)])
    sess.run(tf.global_variables_initializer())
    for lower, value in ((3.0, 0.7), (0.0, 0.7)):
        sess.run(limit.assign(lower))
        sess.run(step)
        assert sess.run(var)[0] == pytest.approx(value)
    sess.run(limit.assign(-3.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="`max_learning_rate` must be non-neg"):
        sess.run(step)
    with pytest.raises(TypeError, match="must be an integer"):
        VSGD(2, 10, burnin=2.5)

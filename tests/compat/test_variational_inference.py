"""`tf.contrib.bayesflow`: bounds, entropies, drawn weights, even points, special functions."""

import math

import numpy as np
import pytest
import scipy.stats

import minitf as tf
from tests.graphs import sess as sess

bf = tf.contrib.bayesflow
vi, st, entropy = bf.variational_inference, bf.stochastic_tensor, bf.entropy
halton = bf.halton_sequence
ds = tf.contrib.distributions


class _NoEntropy(ds.Normal):
    """A normal law of which no formulas are known."""

    def entropy(self, name="entropy"):
        raise NotImplementedError


# ---- the bound -------------------------------------------------------------------------------


def _model(law=ds.Normal):
    """z ~ N(1, 2) for each of three examples, prior N(0, 1), and a likelihood of 0.5 z."""
    prior = ds.Normal(0.0, 1.0)
    z = st.StochasticTensor(law(loc=[1.0, -0.5, 2.0], scale=2.0))
    return prior, z, ds.Normal(0.5 * z.value(), 1.0).log_prob([1.0, 2.0, 3.0])


def test_the_bound_takes_registered_priors_and_formulas_first(sess):
    prior, z, likelihood = _model()
    with pytest.raises(ValueError, match="No prior specified for StochasticTensor"):
        vi.elbo(likelihood)
    vi.register_prior(z, prior)
    found = [vi.elbo(likelihood), vi.elbo(likelihood, form=vi.ELBOForms.analytic_kl)]
    exact = likelihood - ds.kl_divergence(z.distribution, prior)
    summed = vi.elbo(likelihood, keep_batch_dim=False)
    one, other, right, whole, alone, apart = sess.run(
        [*found, exact, summed, likelihood, ds.kl_divergence(z.distribution, prior)]
    )
    np.testing.assert_allclose([one, other], [right, right], rtol=1e-6)
    np.testing.assert_allclose(whole, alone - apart.sum(), rtol=1e-6)
    assert found[0].dtype == likelihood.dtype and found[0].shape == likelihood.shape


def test_each_form_is_a_formula_of_what_was_drawn(sess):
    prior, z, likelihood = _model()
    q, drawn = z.distribution, z.value()
    rows = {
        vi.ELBOForms.sample: likelihood + prior.log_prob(drawn) - q.log_prob(drawn),
        vi.ELBOForms.analytic_entropy: likelihood + prior.log_prob(drawn) + q.entropy(),
        vi.ELBOForms.analytic_kl: likelihood - ds.kl_divergence(q, prior),
    }
    for form, right in rows.items():
        np.testing.assert_allclose(
            *sess.run([vi.elbo(likelihood, {z: prior}, form=form), right]), rtol=1e-5
        )
    joint = likelihood + prior.log_prob(drawn)
    found = [vi.elbo_with_log_joint(joint), vi.elbo_with_log_joint(joint, [z])]
    one, other, right = sess.run([*found, joint + q.entropy()])
    np.testing.assert_allclose([one, other], [right, right], rtol=1e-6)


def test_without_formulas_the_draw_says_it(sess):
    prior = ds.Laplace(0.0, 1.0)  # there is no formula for it and a normal law
    _, z, likelihood = _model(_NoEntropy)
    found = vi.elbo(likelihood, {z: prior})
    right = likelihood + prior.log_prob(z.value()) - z.distribution.log_prob(z.value())
    np.testing.assert_allclose(*sess.run([found, right]), rtol=1e-6)
    for form in (vi.ELBOForms.analytic_kl, vi.ELBOForms.analytic_entropy):
        with pytest.raises(NotImplementedError):
            vi.elbo(likelihood, {z: prior}, form=form)


def test_bounds_say_what_is_wrong():
    prior, z, likelihood = _model()
    with pytest.raises(TypeError, match="variational must be a StochasticTensor"):
        vi.register_prior(likelihood, prior)
    with pytest.raises(TypeError, match="prior must be a Distribution"):
        vi.register_prior(z, 3.0)
    with pytest.raises(TypeError, match="form must be an ELBOForms constant"):
        vi.elbo(likelihood, {z: prior}, form="sample")
    with pytest.raises(TypeError, match="variationals must be StochasticTensors"):
        vi.elbo(likelihood, {likelihood: prior})
    with pytest.raises(TypeError, match="priors must be Distribution objects"):
        vi.elbo(likelihood, {z: 3.0})
    with pytest.raises(ValueError, match="No upstream stochastic nodes"):
        vi.elbo(tf.constant(1.0))
    with pytest.raises(ValueError, match="analytic_kl is not available"):
        vi.elbo_with_log_joint(likelihood, form=vi.ELBOForms.analytic_kl)


def test_the_bound_of_a_linear_model_is_log_p_of_x_at_the_posterior(sess):
    # z ~ N(0, 1), x | z ~ N(z, 1): z | x ~ N(x / 2, 1 / 2), x ~ N(0, 2), and the bound is tight
    x = tf.constant([0.7, -1.3])
    z = st.StochasticTensor(
        ds.Normal(x / 2.0, math.sqrt(0.5)), dist_value_type=st.SampleValue(20000)
    )
    bound = vi.elbo(ds.Normal(z.value(), 1.0).log_prob(x), {z: ds.Normal(0.0, 1.0)})
    exact = scipy.stats.norm(0, math.sqrt(2)).logpdf([0.7, -1.3])
    np.testing.assert_allclose(sess.run(tf.reduce_mean(bound, 0)), exact, atol=0.03)


# ---- entropies and ratios --------------------------------------------------------------------


def test_ratios_come_near_divergences(sess):
    q, p = ds.Normal([0.0, 1.0], [1.0, 1.5]), ds.Normal([0.5, 0.0], [1.2, 1.1])
    exact = sess.run(ds.kl_divergence(q, p))
    for form in (None, vi.ELBOForms.sample, vi.ELBOForms.analytic_entropy):
        found = entropy.elbo_ratio(p.log_prob, q, n=40000, seed=1, form=form)
        assert found.shape.as_list() == [2]
        np.testing.assert_allclose(-sess.run(found), exact, atol=0.03)
    same = entropy.elbo_ratio(q.log_prob, q, n=20, form=vi.ELBOForms.sample)
    np.testing.assert_allclose(sess.run(same), [0.0, 0.0], atol=1e-6)


def test_the_ratio_of_renyi_has_its_closed_form(sess):
    # of N(0, 1) from N(m, 1) the divergence is alpha m^2 / 2
    q, p = ds.Normal(np.float64(0.6), np.float64(1)), ds.Normal(np.float64(0), np.float64(1))
    z = q.sample(200000, seed=3)
    ratios = [entropy.renyi_ratio(p.log_prob, q, alpha, z=z) for alpha in (0.25, 0.75, 0.9999)]
    bound = entropy.elbo_ratio(p.log_prob, q, z=z, form=vi.ELBOForms.sample)
    *found, near = sess.run([*ratios, bound])
    np.testing.assert_allclose(found[:2], [-0.045, -0.135], atol=0.005)
    assert found[2] == pytest.approx(near, abs=1e-4) and found[0] > found[1] > near
    assert sess.run(entropy.renyi_ratio(q.log_prob, q, 0.5, n=10)) == pytest.approx(0.0)


def test_entropies_by_formula_or_by_samples(sess):
    p, other = ds.Normal(1.0, 2.0), _NoEntropy(1.0, 2.0)
    exact, form = sess.run(p.entropy()), vi.ELBOForms
    assert sess.run(entropy.entropy_shannon(p)) == exact
    assert sess.run(entropy.entropy_shannon(p, n=7)) == exact
    assert sess.run(entropy.entropy_shannon(p, form=form.analytic_entropy)) == exact
    for found in (
        entropy.entropy_shannon(p, n=40000, form=form.sample, seed=1),
        entropy.entropy_shannon(other, n=40000, seed=1),
        entropy.entropy_shannon(other, z=p.sample(40000, seed=1)),
    ):
        near = sess.run(found)
        assert near == pytest.approx(exact, abs=0.02) and near != exact
    with pytest.raises(ValueError, match="n must be None"):
        entropy.entropy_shannon(p, n=3, form=form.analytic_entropy)
    with pytest.raises(ValueError, match="ELBOForm not handled"):
        entropy.entropy_shannon(p, form=form.analytic_kl)
    with pytest.raises(NotImplementedError):
        entropy.entropy_shannon(other, form=form.analytic_entropy)
    with pytest.raises(ValueError, match='exactly one of arguments "n" and "z"'):
        entropy.entropy_shannon(other)


def test_alpha_falls_ever_faster(sess):
    at = [entropy.renyi_alpha(step, 3, 0.1, 0.5) for step in (0, 1, 2, 3, 9)]
    found = np.array(sess.run(at))
    np.testing.assert_allclose(found[[0, 3, 4]], [0.5, 0.1, 0.1], atol=1e-6)
    assert found[1] == pytest.approx(0.5 - 0.4 * (math.exp(1 / 3) - 1) / (math.e - 1), abs=1e-6)
    assert found[0] - found[1] < found[1] - found[2] < found[2] - found[3]
    assert entropy.renyi_alpha(0, 3, tf.constant(0.1, tf.float64)).dtype == tf.float64
    good = {"step": 0, "decay_time": 3, "alpha_min": 0.0, "alpha_max": 0.5}
    for name, value in good.items():
        with pytest.raises(ValueError, match=f"{name} must be scalar"):
            entropy.renyi_alpha(**{**good, name: [value]})
    for name, value, text in (
        ("step", -1, "step must be non-negative"),
        ("decay_time", 0.0, "decay_time must be positive"),
    ):
        given = tf.placeholder_with_default(tf.constant(value), [])
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(entropy.renyi_alpha(**{**good, name: given}))


# ---- expectations ----------------------------------------------------------------------------


def test_importance_samples_in_logarithms(sess):
    mc = bf.monte_carlo
    p, q = ds.Normal([-1.0, 1.0], 0.5), ds.Normal([0.0, 0.0], 1.0)
    z = q.sample(200000, seed=1)
    mean = mc.expectation_importance_sampler(lambda x: x, p.log_prob, q, z=z)
    second = mc.expectation_importance_sampler_logspace(
        lambda x: 2.0 * tf.log(tf.abs(x)), p.log_prob, q, z=z
    )
    found = sess.run([mean, tf.exp(second)])
    np.testing.assert_allclose(found[0], [-1.0, 1.0], atol=0.03)
    np.testing.assert_allclose(found[1], [1.25, 1.25], atol=0.05)
    # densities that are no numbers
    far = mc.expectation_importance_sampler_logspace(
        lambda x: 0.0 * x, lambda x: q.log_prob(x) - 5000.0, q, n=10
    )
    np.testing.assert_allclose(sess.run(far), [-5000.0, -5000.0], rtol=1e-5)
    # as TensorFlow 1.2 had it
    old = mc.expectation(lambda x: x, p, n=20000, seed=1)
    np.testing.assert_allclose(sess.run(old), [-1.0, 1.0], atol=0.02)
    with pytest.raises(ValueError, match='exactly one of arguments "n" and "z"'):
        mc.expectation(lambda x: x, p)


def test_gradients_are_what_is_said(sess):
    custom = bf.custom_grad.custom_gradient
    x = tf.constant(np.linspace(-2, 2, 9))
    y = custom(x**2, (x - 1) ** 3, x)
    values, slopes, at = sess.run([y, tf.gradients(y, x)[0], x])
    np.testing.assert_allclose(values, at**2)
    np.testing.assert_allclose(slopes, (at - 1) ** 3)
    row = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = custom(tf.reduce_prod(row, 1), tf.constant([10.0, 20.0]), row, axis=[1])
    values, slopes = sess.run([y, tf.gradients(y, row)[0]])
    np.testing.assert_allclose(values, [2.0, 12.0])
    np.testing.assert_allclose(slopes, [[10.0, 10.0], [20.0, 20.0]])
    assert sess.run(custom(row[0, 0], 1.0, row, axis=None)) == 1.0
    a, b = tf.constant(2.0), tf.constant(3.0)
    assert tf.gradients(custom(a * b, a * a * b, a), [a, b])[1] is None
    stop = tf.stop_gradient
    y = custom(stop(a) * b, stop(a * a) * b, a + stop(b), fx_gx_manually_stopped=True)
    assert sess.run([y, *tf.gradients(y, [a, b])]) == [6.0, 12.0, 2.0]


# ---- even points -----------------------------------------------------------------------------


def test_halton_numbers_are_mirrored_digits(sess):
    right = [[1 / 2, 1 / 3], [1 / 4, 2 / 3], [3 / 4, 1 / 9], [1 / 8, 4 / 9], [5 / 8, 7 / 9]]
    for found in (
        halton.sample(2, 5, randomized=False),
        halton.sample(2, num_samples=5),
        halton.sample(2, sample_indices=tf.range(5)),
        halton.sample(2, sequence_indices=[0, 1, 2, 3, 4], randomized=False, dtype=tf.float64),
    ):
        np.testing.assert_allclose(sess.run(found), right, rtol=1e-6)
    which = tf.placeholder(tf.int32, [None])
    later = halton.sample(1000, sequence_indices=which, randomized=False, dtype=tf.float64)
    assert later.shape.as_list() == [None, 1000]
    points = sess.run(later, {which: [7918, 10**6 - 1]})
    assert points[0, -1] == pytest.approx(1 / 7919**2)  # the 1000th prime
    assert points[1, 2] == pytest.approx(_mirrored(10**6, 5))


def _mirrored(number, base):
    found, size = 0.0, 1.0 / base
    while number:
        number, digit = divmod(number, base)
        found, size = found + digit * size, size / base
    return found


def test_random_halton_numbers_keep_their_evenness(sess):
    points = halton.sample(4, 2 * 3 * 5 * 7, seed=5, dtype=tf.float64)
    one, other = sess.run(points), sess.run(points)
    for base, column in zip((2, 3, 5, 7), one.T, strict=True):  # one number as often as another
        counts = np.bincount(np.floor(column * base).astype(int), minlength=base)
        np.testing.assert_array_equal(counts, 210 // base)
    assert np.all((one > 0) & (one < 1)) and np.abs(one - other).max() > 0.1
    assert len(np.unique(one)) == one.size
    # Owen (2017): the square of a sum of 20 uniform numbers, 101.6667 in the mean
    square = tf.reduce_mean(tf.reduce_sum(halton.sample(20, 2000, seed=6), 1) ** 2)
    values = [sess.run(square) for _ in range(10)]
    assert np.mean(values) == pytest.approx(101.6667, abs=0.5)
    cube = sess.run(halton.sample(3, 1000, seed=127)) ** [1, 2, 3]
    assert cube.prod(1).mean() == pytest.approx(1 / 24, rel=0.03)


def test_halton_says_what_is_wrong():
    with pytest.raises(ValueError, match="Dimension must be between 1 and 1000. Supplied 1001"):
        halton.sample(1001, 3)
    with pytest.raises(ValueError, match="must be specified but not both"):
        halton.sample(3)
    with pytest.raises(ValueError, match="must be specified but not both"):
        halton.sample(3, 3, [0, 1])
    with pytest.raises(ValueError, match="dtype must be of `float`-type"):
        halton.sample(3, 3, dtype=tf.int32)


# ---- variables -------------------------------------------------------------------------------


def test_weights_are_drawn_from_laws_of_variables(sess):
    sv, shape = bf.stochastic_variables, [4, 3]
    make = sv.make_stochastic_variable_getter(
        ds.NormalWithSoftplusScale, {"validate_args": True},
        {"loc": np.full(shape, 4.0, np.float32),
         "scale": lambda shape, dtype, partition_info=None: tf.ones(shape, dtype) * -9.0},
        lambda shape, dtype: ds.Normal(tf.zeros(shape, dtype), 1.0),
    )  # fmt: skip
    with tf.variable_scope("net", custom_getter=make):
        w = tf.get_variable("w", shape)
    assert isinstance(w, st.StochasticTensor)
    assert {v.op.name for v in tf.trainable_variables()} == {"net/w_loc", "net/w_scale"}
    y = tf.matmul(tf.ones([2, 4]), w)
    bound = vi.elbo(tf.reduce_sum(y), keep_batch_dim=False)
    sess.run(tf.global_variables_initializer())
    drawn, got = sess.run([y, bound])
    np.testing.assert_allclose(drawn, np.full([2, 3], 16.0), atol=0.01)
    scale = math.log1p(math.exp(-9.0))
    apart = 0.5 * (scale**2 + 16 - 1) - math.log(scale)
    assert got == pytest.approx(drawn.sum() - 12 * apart, rel=1e-4)


def test_laws_start_as_variables_do(sess):
    make = bf.stochastic_variables.make_stochastic_variable_getter(
        ds.NormalWithSoftplusScale, prior=(prior := ds.Normal(0.0, 1.0))
    )
    with tf.variable_scope("net", custom_getter=make, initializer=tf.constant_initializer(-7.0)):
        tf.get_variable("w", [2])
        other = tf.get_variable("v", [2], initializer=tf.constant_initializer(3.0))
    sess.run(tf.global_variables_initializer())
    found = {v.op.name: sess.run(v)[0] for v in tf.trainable_variables()}
    assert found == {"net/w_loc": -7, "net/w_scale": -7, "net/v_loc": 3, "net/v_scale": 3}
    right = other.value() - ds.kl_divergence(other.distribution, prior)
    np.testing.assert_allclose(*sess.run([vi.elbo(other.value()), right]))


def test_shapes_of_parameters():
    shapes = ds.Normal.param_static_shapes([2, 3])
    assert shapes == {"loc": tf.TensorShape([2, 3]), "scale": tf.TensorShape([2, 3])}
    assert list(tf.distributions.StudentT.param_static_shapes([2])) == ["df", "loc", "scale"]
    assert list(tf.distributions.Bernoulli.param_static_shapes([2])) == ["logits"]
    for law in (tf.distributions.Dirichlet, tf.distributions.Categorical, ds.Independent):
        with pytest.raises(NotImplementedError, match="_param_shapes not implemented"):
            law.param_static_shapes([2])


def _net(x):
    x = tf.convert_to_tensor(x)
    z = tf.get_variable("z", initializer=np.float32([0.0, 1.0]))
    return x + tf.get_variable("y", initializer=np.float32([0.0, 4.0])) + z


def test_variables_become_arguments(sess):
    make = bf.variable_utils.externalize_variables_as_args
    wrapped, found = make(_net, [tf.constant([0.1, 0.2])])
    assert [v.op.name for v in found] == ["y", "z"]
    tf.get_variable_scope().reuse_variables()
    result = wrapped(np.float32([2.0, 2.0]), [3.0, 4.0], 0.5)
    np.testing.assert_allclose(sess.run(result), [5.5, 6.5])  # no variable is read
    y = tf.get_variable("y")
    wrapped, found = make(_net, [[0.0, 0.0]], possible_ancestor_vars=[y])
    assert len(found) == 1 and found[0] is y
    with pytest.warns(UserWarning, match='Variable ".*z:0.*" not found in bypass dict'):
        result = wrapped(np.float32([2.0, 3.0]), 0.5)
    sess.run(tf.global_variables_initializer())
    np.testing.assert_allclose(sess.run(result), [2.5, 4.5])
    strict, found = make(_net, [[0.0, 0.0]], [y], assert_variable_override=True)
    with pytest.raises(ValueError, match="not found"):
        strict([2.0, 3.0], 0.5)
    assert make(_net, ancestor_variables=[]) == (_net, ())


# ---- special functions -----------------------------------------------------------------------


def test_special_functions_of_normal_numbers(sess):
    special = bf.special_math
    x = np.linspace(-40.0, 10.0, 101)
    assert sess.run(special.ndtr(0.0)) == 0.5
    near = sess.run(special.ndtr(x[10:]))
    np.testing.assert_allclose(near, scipy.stats.norm.cdf(x[10:]), rtol=1e-8)
    right = scipy.stats.norm.logcdf(x)
    np.testing.assert_allclose(sess.run(special.log_ndtr(x)), right, rtol=1e-7, atol=1e-15)
    errors = [
        abs(sess.run(special.log_ndtr(np.float64(-20.5), order)) - scipy.stats.norm.logcdf(-20.5))
        for order in (0, 1, 2, 3)
    ]
    assert errors == sorted(errors, reverse=True) and errors[3] < 1e-7 < errors[0]
    np.testing.assert_allclose(sess.run(special.ndtri(special.ndtr([-1.0, 2.0]))), [-1, 2], 1e-4)
    np.testing.assert_allclose(
        sess.run(special.log_cdf_laplace([-3.0, 4.0])), scipy.stats.laplace.logcdf([-3, 4]), 1e-5
    )
    for order, text in ((-1, "must be non-negative"), (31, "must be <= 30")):
        with pytest.raises(ValueError, match=text):
            special.log_ndtr(1.0, order)

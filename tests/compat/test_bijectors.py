"""Bijectors: each undoes itself; its logarithms are those of the Jacobian that gradients give."""

import math

import numpy as np
import pytest

import minitf as tf
from tests.graphs import graph as graph

tfd = tf.contrib.distributions
tfb = tfd.bijectors

MADE = {
    "exp": lambda: tfb.Exp(),
    "identity": lambda: tfb.Identity(),
    "sigmoid": lambda: tfb.Sigmoid(),
    "softplus": lambda: tfb.Softplus(hinge_softness=2.0),
    "affine_scalar": lambda: tfb.AffineScalar(1.0, 2.0),
    "affine": lambda: tfb.Affine([1.0, 2.0], scale_tril=[[1.0, 0.0], [0.5, 2.0]]),
    "low rank": lambda: tfb.Affine(scale_diag=[1.0, 3.0], scale_perturb_factor=[[1.0], [0.5]]),
    "multiplier": lambda: tfb.Affine([1.0, 1.0], scale_identity_multiplier=3.0),
    "permute": lambda: tfb.Permute([1, 0]),
    "chain_of_exp_of_affine": lambda: tfb.Chain([tfb.Exp(), tfb.Affine(scale_diag=[2.0, 3.0])]),
    "invert_exp": lambda: tfb.Invert(tfb.Exp()),
    "real_nvp": lambda: tfb.RealNVP(1, tfb.real_nvp_default_template([4])),
    "flow": lambda: tfb.MaskedAutoregressiveFlow(tfb.masked_autoregressive_default_template([6])),
}


@pytest.mark.parametrize("name", MADE)
def test_the_jacobian_is_that_of_gradients(name: str) -> None:
    x = tf.constant([[0.3, 0.5], [0.7, 0.2]])
    bijector = MADE[name]()
    y = bijector.forward(x)
    again = tf.identity(y)  # another tensor: what made it is not remembered
    rows = [tf.gradients(y[:, i], x, unconnected_gradients="zero")[0] for i in range(2)]
    jacobian = tf.stack(rows, 1)
    expected = tf.linalg.logdet(tf.matmul(jacobian, jacobian, transpose_a=True)) / 2
    found = [
        bijector.inverse(again),
        bijector.forward_log_det_jacobian(x, 1) + tf.zeros(2),
        -bijector.inverse_log_det_jacobian(again, 1) + tf.zeros(2),
        expected,
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        back, forwards, backwards, wanted = sess.run(found)
    np.testing.assert_allclose(back, [[0.3, 0.5], [0.7, 0.2]], atol=1e-4)
    np.testing.assert_allclose(forwards, wanted, atol=1e-4)
    np.testing.assert_allclose(backwards, wanted, atol=1e-4)
    assert name in (bijector.name, "low rank", "multiplier", "flow")
    assert bijector.inverse(y) is x


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

"""Special functions against values known in closed form, and against SciPy where it is there."""

import math

import numpy as np
import pytest

from minitf.core.graph.op_def import get_op_def


def kernel(op_type: str, *inputs: np.ndarray) -> np.ndarray:
    return get_op_def(op_type).kernel(np, *inputs)


def test_known_values() -> None:
    np.testing.assert_allclose(kernel("Lgamma", np.array([0.5])), math.log(math.pi) / 2, rtol=1e-14)
    np.testing.assert_allclose(kernel("Digamma", np.array([1.0])), -0.5772156649015329, rtol=1e-14)
    np.testing.assert_allclose(kernel("Zeta", np.array([2.0]), np.array([1.0])), math.pi**2 / 6)
    np.testing.assert_allclose(
        kernel("Igamma", np.ones(3), np.array([0.1, 1.0, 9.0])), 1 - np.exp([-0.1, -1.0, -9.0])
    )
    quarter = kernel("Betainc", np.full(1, 2.0), np.full(1, 1.0), np.full(1, 0.5))
    np.testing.assert_allclose(quarter, 0.25, rtol=1e-13)
    assert kernel("Ndtri", np.array([0.0, 0.5, 1.0])).tolist() == [-np.inf, 0.0, np.inf]


def test_against_scipy() -> None:
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    rng = np.random.default_rng(0)
    a, b = 10 ** rng.uniform(-1, 1.5, (2, 2000))
    x, p = rng.uniform(-8, 40, 2000), rng.uniform(0, 1, 2000)
    pairs = [
        (kernel("Lgamma", x), special.gammaln(x)),
        (kernel("Digamma", x), special.digamma(x)),
        (kernel("Zeta", a + 1, b), special.zeta(a + 1, b)),
        (kernel("Igamma", a, b), special.gammainc(a, b)),
        (kernel("Igammac", a, b), special.gammaincc(a, b)),
        (kernel("Betainc", a, b, p), special.betainc(a, b, p)),
        (kernel("Ndtri", p), special.ndtri(p)),
        (kernel("Erfinv", 2 * p - 1), special.erfinv(2 * p - 1)),
        (kernel("BesselI0e", x), special.i0e(x)),
        (kernel("BesselI1e", x), special.i1e(x)),
    ]
    for got, expected in pairs:
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-13)


def test_the_derivative_by_the_parameter() -> None:
    a, x = np.array([0.7, 2.0, 5.0, 30.0]), np.array([0.2, 3.0, 4.0, 28.0])
    step = 1e-5
    numeric = (kernel("Igamma", a + step, x) - kernel("Igamma", a - step, x)) / (2 * step)
    np.testing.assert_allclose(kernel("IgammaGradA", a, x), numeric, rtol=1e-6, atol=1e-9)

"""One step of an LSTM: the tiers against formulas written out, and against finite differences."""

from typing import Any

import numpy as np
import pytest

from minitf.fast import loader as library
from minitf.fast.kernels.lstm import lstm_cell, lstm_cell_grad

library.load_all()


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def step(product: Any, bias: Any, forget_bias: Any, c: Any) -> tuple[Any, Any]:
    i, g, f, o = np.split(product + bias, 4, axis=1)
    new_c = sigmoid(f + forget_bias) * c + sigmoid(i) * np.tanh(g)
    return new_c, sigmoid(o) * np.tanh(new_c)


def inputs(batch: int, units: int, dtype: Any, scale: float = 1.0) -> list[Any]:
    rng = np.random.default_rng(batch + units)
    shapes = [(batch, 4 * units), (4 * units,), (), (batch, units)]
    return [np.asarray(scale * rng.normal(size=s), dtype)[()] for s in shapes]


def run(kernel: Any, tier: str, *arguments: Any) -> Any:
    """What a tier gives; what it leaves to the next one comes from the reference."""
    with np.errstate(all="ignore"):
        found = NotImplemented if tier == "numpy" else kernel.tiers[tier](*arguments)
        return kernel.tiers["numpy"](np, *arguments) if found is NotImplemented else found


@pytest.mark.parametrize("tier", lstm_cell.tiers)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("batch,units", [(3, 5), (1, 1), (40, 128), (0, 4)])
def test_a_step(tier: str, dtype: Any, batch: int, units: int) -> None:
    given = inputs(batch, units, dtype)
    new_c, new_h, gates, tanh_c = run(lstm_cell, tier, *given)
    with np.errstate(all="ignore"):
        c, h = step(*[np.float64(x) for x in given])
    close = {"atol": 1e-2 if dtype == np.float16 else 2e-6}
    assert all(x.dtype == dtype for x in (new_c, new_h, gates, tanh_c))
    np.testing.assert_allclose(new_c, c, **close)
    np.testing.assert_allclose(new_h, h, **close)
    np.testing.assert_allclose(tanh_c, np.tanh(c), **close)
    i, g, f, o = np.split(np.float64(given[0]) + given[1], 4, axis=1)
    f = f + np.float64(given[2])
    expected = np.stack([sigmoid(i), np.tanh(g), sigmoid(f), sigmoid(o)])
    np.testing.assert_allclose(gates, expected, **close)


def test_the_compiled_tier_takes_floats_of_single_precision() -> None:
    for kernel in (lstm_cell, lstm_cell_grad):
        assert set(kernel.tiers) == ({"numpy", "numba"} if library.available() else {"numpy"})
    for tier in set(lstm_cell.tiers) - {"numpy"}:
        found = [lstm_cell.tiers[tier](*inputs(2, 3, t)) for t in (np.float32, np.float64)]
        assert found[0] is not NotImplemented and found[1] is NotImplemented


@pytest.mark.parametrize("tier", lstm_cell.tiers)
def test_nan_and_infinities_stay_in_their_unit(tier: str) -> None:
    product, bias, forget_bias, c = inputs(2, 6, np.float32)
    product[0, :4] = np.nan, np.inf, -np.inf, 200
    c[1, 5] = np.inf
    new_c, new_h, gates, _ = run(lstm_cell, tier, product, bias, forget_bias, c)
    assert np.isnan(new_c[0, 0]) and np.isfinite(new_c[0, 1:]).all()
    assert gates[0, 0, 1] == 1 and gates[0, 0, 2] == 0 and gates[0, 0, 3] == 1
    assert new_c[1, 5] == np.inf and abs(new_h[1, 5]) <= 1


@pytest.mark.parametrize("tier", lstm_cell_grad.tiers)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_gradient_is_that_of_finite_differences(tier: str, count: int) -> None:
    given = [np.float64(x) for x in inputs(3, 4, np.float32)]
    rng = np.random.default_rng(1)
    dh, *dcs = rng.normal(size=(1 + count, 3, 4))

    def loss(product: Any, c: Any) -> Any:
        new_c, new_h = step(product, given[1], given[2], c)
        return (new_h * dh).sum() + sum((new_c * dc).sum() for dc in dcs)

    _, _, gates, tanh_c = lstm_cell.tiers["numpy"](np, *given)
    arguments = [dh, dcs, given[3], *gates, tanh_c]
    small = [[np.float32(x) for x in a] if type(a) is list else np.float32(a) for a in arguments]
    dproduct, dc = run(lstm_cell_grad, tier, *small)
    for place, found in ((0, dproduct), (3, dc)):
        for at in np.ndindex(found.shape):
            up, down = given[place].copy(), given[place].copy()
            up[at] += 1e-5
            down[at] -= 1e-5
            values = [(x, given[3]) if place == 0 else (given[0], x) for x in (up, down)]
            slope = (loss(*values[0]) - loss(*values[1])) / 2e-5
            assert abs(slope - found[at]) < 1e-4


@pytest.mark.parametrize("tier", lstm_cell.tiers)
def test_nothing_that_comes_in_is_changed(tier: str) -> None:
    """Constants cannot be written, slices are not contiguous, and all may be used again."""
    wide = np.random.default_rng(0).normal(size=(4, 20)).astype(np.float32)
    product, bias, forget_bias, _ = inputs(4, 3, np.float32)
    for each in (wide, product, bias):
        each.flags.writeable = False
    new_c, _, gates, tanh_c = run(lstm_cell, tier, product, bias, forget_bias, wide[:, ::7])
    assert np.allclose(new_c, step(product, bias, forget_bias, wide[:, ::7])[0], atol=1e-6)
    gates.flags.writeable = False
    dh = wide[:, 3:6]
    dproduct, _ = run(lstm_cell_grad, tier, dh, [dh], wide[:, ::7], *gates, tanh_c)
    assert dproduct.shape == (4, 12)

"""Products of matrices: in pieces, and taken off a variable."""

from typing import Any

import numpy as np
import pytest

from minitf.core.kernels import dense, threads
from tests.compiled import load_compiled

load_compiled()
RNG = np.random.default_rng(0)


def laid(values: Any, order: str) -> Any:
    """A matrix in memory by rows, by columns, or as part of a larger one."""
    if order == "part":
        wide = np.zeros((values.shape[0], 2 * values.shape[1]), values.dtype)
        wide[:, ::2] = values
        return wide[:, ::2]
    return np.asarray(values, order=order)


@pytest.mark.parametrize("tier", dense.subtract_product.tiers)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("orders", ["CC", "CF", "FC", "FF", ("part", "C"), ("C", "part")])
@pytest.mark.parametrize(
    "sizes", [(1, 1, 1), (4, 3, 2), (1, 5, 4), (5, 4, 1), (0, 3, 2), (3, 0, 2)]
)
def test_every_layout(tier: str, dtype: Any, orders: Any, sizes: Any) -> None:
    m, k, n = sizes
    a = laid(RNG.normal(size=(m, k)).astype(dtype), orders[0])
    b = laid(RNG.normal(size=(k, n)).astype(dtype), orders[1])
    target = RNG.normal(size=(m, n)).astype(dtype)
    expected = target - dtype(0.5) * (a @ b)
    result = dense.subtract_product.tiers[tier](
        *([np] if tier == "numpy" else []), target, a, b, dtype(0.5)
    )
    assert result is None or (tier != "numpy" and (0 in sizes or dtype == np.float16))
    if result is None:
        near = 100 * np.finfo(dtype).eps
        np.testing.assert_allclose(target, expected, rtol=near, atol=near)


def test_what_is_no_number_stays_so() -> None:
    for rate in (0.0, 1.0):
        a, b = np.array([[np.nan, 1], [np.inf, 1]], np.float32), np.eye(2, dtype=np.float32)
        target = np.zeros((2, 2), np.float32)
        with np.errstate(all="ignore"):
            dense.subtract_product(np, target, a, b, np.float32(rate))
            assert np.isnan(target).tolist() == np.isnan(rate * (a @ b)).tolist()


def test_a_target_that_is_a_factor() -> None:
    target = np.array([[1, 2], [3, 4]], np.float32)
    dense.subtract_product(np, target, target, target.T, np.float32(1))
    assert target.tolist() == [[-4, -9], [-8, -21]]


@pytest.mark.parametrize("shape", [(900, 40, 400), (40, 900, 400), (30, 500, 900)])
def test_large_products_in_pieces(shape: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(threads, "_count", 3)
    m, k, n = shape
    a, b = RNG.normal(size=(m, k)).astype("f"), RNG.normal(size=(n, k)).astype("f").T
    np.testing.assert_allclose(dense.product(np, a, b), a @ b, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError):
        dense.product(np, a, a)


@pytest.mark.parametrize("columns", [2, 10, 128, 129])
@pytest.mark.parametrize("rows", [0, 1, 7, 128, 900])
@pytest.mark.parametrize("orders", ["CC", "FC", "CF", ("part", "C")])
def test_tiles_of_narrow_products(rows: int, columns: int, orders: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(threads, "_count", 2)
    for long in (0, 60, 61, 500):
        a = laid(RNG.normal(size=(rows, long)).astype("f"), orders[0])
        b = laid(RNG.normal(size=(long, columns)).astype("f"), orders[1])
        b.flags.writeable = False
        expected = a.astype("d") @ b.astype("d")
        np.testing.assert_allclose(dense.product(np, a, b), expected, rtol=1e-3, atol=1e-3)
    b = np.eye(70, dtype=np.float32)
    b[3, 3] = np.nan
    product = dense.product(np, np.eye(70, dtype=np.float32), b)
    assert np.isnan(product[:, 3]).all()
    assert np.isfinite(np.delete(product, 3, 1)).all()

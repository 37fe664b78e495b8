"""Reductions beside NumPy's own, in shapes and types that go every way there is."""

from typing import Any

import numpy as np
import pytest

from minitf.core.kernels.dense import reduced, sum_of_many, sum_of_rows
from tests.compiled import load_compiled, serves

load_compiled()
RNG = np.random.default_rng(0)
NUMPY = {"sum": np.sum, "max": np.max, "min": np.min}


@pytest.mark.parametrize("kind", NUMPY)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.uint8])
@pytest.mark.parametrize(
    "shape", [(10_007, 3), (3, 5000), (9000, 1), (1, 9000), (20, 30, 4, 5), (70_001,), (500, 100)]
)
def test_all_ways_agree(shape: Any, dtype: Any, kind: str) -> None:
    x = (10 * RNG.random(shape)).astype(dtype)
    n = len(shape)
    for axis in {
        None,
        (0,),
        (n - 1,),
        (-1,),
        (),
        tuple(range(n - 1)),
        tuple(range(1, n)),
        (n - 2,),
    }:
        for keep_dims in (False, True):
            narrow = dtype in (np.uint8, np.float16)  # sums wrap around, or lose digits
            wide = x if narrow or kind != "sum" else x.astype(np.float64)
            extra = {"dtype": dtype} if narrow and kind == "sum" else {}
            with np.errstate(all="ignore"):
                ways = [reduced.tiers["numpy"](np, kind, x, axis, keep_dims)]
                ways += [run(kind, x, axis, keep_dims) for run in list(reduced.tiers.values())[1:]]
                expected = NUMPY[kind](wide, axis=axis, keepdims=keep_dims, **extra)
            exact = kind != "sum" or dtype in (np.int32, np.uint8)
            near = 0 if exact else 50 * float(np.finfo(dtype).eps)
            for got in ways:
                assert got.shape == expected.shape and got.dtype == dtype
                np.testing.assert_allclose(got, expected.astype(dtype), rtol=near)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_sums_of_rows(dtype: Any) -> None:
    matrix = (10 * RNG.random((300, 7))).astype(dtype)
    for got in (sum_of_rows.tiers["numpy"](np, matrix), sum_of_rows(np, matrix)):
        assert got.dtype == dtype
        np.testing.assert_allclose(got, matrix.sum(0), rtol=1e-5)


@pytest.mark.parametrize("axis", [(0,), (1,), None])
@pytest.mark.parametrize("kind", NUMPY)
def test_what_is_no_number_stays_so(kind: str, axis: Any) -> None:
    x = np.ones((9001, 4), np.float32)
    x[17, 1], x[9000, 2], x[5, 3], x[6, 0] = np.nan, np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        expected = NUMPY[kind](x, axis=axis)
        np.testing.assert_array_equal(reduced(np, kind, x, axis, False), expected)


@pytest.mark.skipif(
    not serves(reduced, "blocks"), reason="NumPy alone adds up long columns in their order"
)
def test_long_sums_keep_their_digits() -> None:
    x = np.full((3_000_000, 2), 0.1, np.float32)
    for axis in (None, (0,)):
        exact = x.astype(np.float64).sum(axis=axis)
        np.testing.assert_allclose(reduced(np, "sum", x, axis, False), exact, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_ways_add_up_many(dtype: Any) -> None:
    x = RNG.random(5_000_011).astype(dtype)
    exact = x.astype(np.float64).sum()
    for got in [sum_of_many(np, x), *(run(x) for run in list(sum_of_many.tiers.values())[1:])]:
        assert got.dtype == dtype and got.shape == ()
        np.testing.assert_allclose(got, exact, rtol=4 * float(np.finfo(dtype).eps))
    with np.errstate(invalid="ignore"):
        for odd in (np.nan, np.inf):
            x[-1] = odd
            np.testing.assert_array_equal(sum_of_many(np, x), dtype(odd))
            x[11] = -np.inf
            assert np.isnan(sum_of_many(np, x))
            x[11] = 0


def test_other_layouts() -> None:
    x = RNG.random((100, 200)).astype("f")
    for view in (x.T, x[:, ::2], np.broadcast_to(x[:1], (100, 200))):
        np.testing.assert_allclose(reduced(np, "sum", view, (0,), False), view.sum(0), rtol=1e-5)

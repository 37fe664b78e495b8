"""The tiers of pooling against their references: values, ties, margins, NaN."""

import itertools
from typing import Any

import numpy as np
import pytest

from minitf.core.kernels import table, threads
from minitf.library.nets import pooling
from minitf.library.nets.windows import Axis, axis_of
from tests.compiled import load_compiled

load_compiled()


def agree(kernel: table.Kernel, *args: Any) -> None:
    expected = kernel.tiers["numpy"](np, *args)
    for name in table.TIERS[1:]:
        result = kernel.tiers[name](*args) if name in kernel.tiers else NotImplemented
        if result is not NotImplemented:
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


def check(x: np.ndarray, axes: list[Axis | None]) -> None:
    """Compares values and gradients of both kinds of pooling."""
    agree(pooling.max_of_windows, x, axes)
    with np.errstate(invalid="ignore"):  # windows that lie outside have no mean
        agree(pooling.mean_pool, x, axes)
    y = pooling.max_of_windows.tiers["numpy"](np, x, axes)
    dy = np.random.default_rng(1).normal(size=y.shape).astype(x.dtype)
    agree(pooling.max_pool_scatter, x, dy, axes)
    with np.errstate(divide="ignore"):
        agree(pooling.mean_pool_scatter, dy, axes)


@pytest.mark.parametrize(("window", "stride"), [(2, 2), (3, 2), (3, 1), (2, 3), (1, 2), (4, 4)])
@pytest.mark.parametrize("padding", ["SAME", "VALID", "EXPLICIT"])
@pytest.mark.parametrize("sizes", [(3, 7, 8, 5), (1, 9, 4, 1), (0, 6, 6, 2), (2, 5, 6, 32)])
def test_images(window: int, stride: int, padding: str, sizes: tuple) -> None:
    x = np.random.default_rng(0).integers(0, 4, sizes).astype(np.float32)  # with many ties
    axes = [axis_of(n, window, stride, 1, padding, (1, 1)) for n in sizes[1:3]]
    check(x, [None, *axes, None])
    check(x.transpose(0, 3, 1, 2).copy(), [None, None, *axes])
    check(x, [None, axes[0], None, None])


def test_other_places_and_ranks() -> None:
    x = np.random.default_rng(0).normal(size=(2, 4, 5, 6, 3)).astype(np.float32)
    one, two, three = (axis_of(n, 2, 2, 1, "SAME") for n in (4, 5, 6))
    for axes in itertools.product((None, one), (None, two), (None, three)):
        check(x, [None, *axes, None])
    check(x, [None, None, None, three, axis_of(3, 3, 3, 1, "VALID")])


def test_other_types_and_orders_are_served() -> None:
    axes = [None, axis_of(6, 2, 2, 1, "VALID"), axis_of(6, 3, 1, 1, "SAME"), None]
    for kind in (np.float64, np.float16, np.int32, np.uint8):
        check(np.arange(144).reshape(2, 6, 6, 2).astype(kind), axes)
    x = np.random.default_rng(0).normal(size=(2, 6, 12, 2)).astype(np.float32)
    check(x[:, :, ::2], axes)
    x.flags.writeable = False
    check(x[:, :, :6], axes)


def test_nan_wins_and_infinities_count() -> None:
    x = np.zeros((1, 4, 4, 3), np.float32)
    x[0, 1, 1, 0], x[0, 0, 2, 1], x[..., 2] = np.nan, np.inf, -np.inf
    axes = [None, *[axis_of(4, 2, 2, 1, "VALID")] * 2, None]
    agree(pooling.max_of_windows, x, axes)
    y = pooling.max_of_windows(np, x, axes)
    assert np.isnan(y[0, 0, 0, 0])
    assert (y[..., 2] == -np.inf).all()
    for tier in pooling.max_pool_scatter.tiers:
        run = pooling.max_pool_scatter.tiers[tier]
        given = ([np] if tier == "numpy" else []) + [x, np.ones_like(y), axes]
        np.testing.assert_array_equal(run(*given)[..., 1:].sum(axis=(0, 1, 2)), [4, 4])


def test_several_threads_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_count", 3)
    x = np.random.default_rng(0).normal(size=(40, 30, 30, 16)).astype(np.float32)
    check(x, [None, *[axis_of(30, 3, 2, 1, "SAME")] * 2, None])

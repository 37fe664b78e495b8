"""The tiers of convolution, alone and with the pooling behind it, against their references."""

import itertools
from typing import Any

import numpy as np
import pytest

from minitf.core.kernels import table, threads
from minitf.fast import loader as library
from minitf.fast.kernels import conv_pool
from minitf.library.nets import conv_ops as conv
from minitf.library.nets import pooling
from minitf.library.nets.windows import Axis, axis_of

library.load_all()
KERNELS = {
    name: table.TABLE[name]
    for name in ("convolve", "filter_gradient", "convolve_and_pool", "pooled_filter_gradient")
}


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def agree(kernel: table.Kernel, *args: Any, rtol: float = 2e-4) -> None:
    """Asserts that every tier that accepts the arguments gives what the reference gives."""
    expected = kernel.tiers["numpy"](np, *args)
    for name in table.TIERS[1:]:
        result = kernel.tiers[name](*args) if name in kernel.tiers else NotImplemented
        if result is NotImplemented:
            continue
        single = not isinstance(expected, tuple)
        for one, other in zip(*([each] if single else each for each in (result, expected))):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)


def places(
    sizes: tuple[int, int], window: tuple[int, int], stride: int, dilation: int, padding: str
) -> list[Axis]:
    return [
        axis_of(n, k, stride, dilation, padding, (2, 0)) for n, k in zip(sizes, window, strict=True)
    ]


@pytest.mark.parametrize("channels", [1, 5])
@pytest.mark.parametrize("padding", ["SAME", "VALID", "EXPLICIT"])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize("window", [(3, 2), (1, 1), (1, 4), (5, 5)])
def test_tiers_agree(
    channels: int, padding: str, stride: int, dilation: int, window: tuple[int, int]
) -> None:
    for batch, sizes in itertools.product((0, 1, 3), ((13, 17), (14, 13))):
        axes = places(sizes, window, stride, dilation, padding)
        x, w = normal(batch, *sizes, channels), normal(*window, channels, 6)
        outputs = [a.outputs for a in axes]
        agree(conv.convolve, x, w, axes)
        agree(conv.filter_gradient, x, normal(batch, *outputs, 6), axes)
        pool = (2, 2) if stride == 1 else (1, 3)
        if all(n >= k for n, k in zip(outputs, pool, strict=True)):
            agree(conv_pool.convolve_and_pool, x, w, axes, pool)
            _, winners = conv_pool.convolve_and_pool.tiers["numpy"](np, x, w, axes, pool)
            dy = normal(*winners.shape)
            agree(conv_pool.pooled_filter_gradient, x, winners, dy, axes, pool)
            agree(conv_pool.unpool, winners, dy, outputs, pool, rtol=0)


@pytest.mark.parametrize("features", [1, 64, 700])
@pytest.mark.parametrize("channels", [1, 40])
def test_filters_of_every_size_agree(channels: int, features: int) -> None:
    axes = places((30, 31), (3, 3), 1, 1, "SAME")
    x, w = normal(2, 30, 31, channels), normal(3, 3, channels, features)
    agree(conv.convolve, x, w, axes, rtol=1e-3)
    agree(conv.filter_gradient, x, normal(2, 30, 31, features), axes, rtol=2e-3)
    agree(conv_pool.convolve_and_pool, x, w, axes, (2, 2), rtol=1e-3)


def test_arrays_in_any_order_and_constants() -> None:
    axes = places((9, 8), (3, 3), 1, 1, "SAME")
    x = np.broadcast_to(normal(1, 9, 8, 3), (4, 9, 8, 3))
    w = normal(4, 3, 3, 3).transpose(1, 2, 3, 0)
    dy = normal(4, 4, 9, 8).transpose(0, 2, 3, 1)
    for array in (x, w, dy):
        array.flags.writeable = False
    agree(conv.convolve, x, w, axes)
    agree(conv.filter_gradient, x, dy, axes)
    y, winners = conv_pool.convolve_and_pool(np, x, w, axes, (3, 2))
    winners.flags.writeable = False
    dy = dy[:, :3, :4]
    agree(conv_pool.pooled_filter_gradient, x, winners, dy, axes, (3, 2))
    agree(conv_pool.unpool, winners, dy, (9, 8), (3, 2))


@pytest.mark.parametrize("kind", [np.float64, np.float16, np.int32])
def test_other_types_are_refused(kind: type) -> None:
    axes = places((6, 6), (3, 3), 1, 1, "SAME")
    x, w = np.ones((1, 6, 6, 2), kind), np.ones((3, 3, 2, 4), kind)
    for name in set(conv.convolve.tiers) - {"numpy"}:
        assert conv.convolve.tiers[name](x, w, axes) is NotImplemented
    y = conv.convolve(np, x, w, axes)
    assert y.dtype == kind
    assert y[0, 2, 2, 0] == 18


def test_nan_and_infinities_stay_where_they_are() -> None:
    axes = places((8, 8), (3, 3), 1, 1, "SAME")
    x, w = normal(1, 8, 8, 1), normal(3, 3, 1, 2)
    x[0, 1, 1], x[0, 6, 6] = np.nan, np.inf
    for kernel in (conv.convolve, conv_pool.convolve_and_pool):
        args = (x, w, axes) if kernel is conv.convolve else (x, w, axes, (2, 2))
        agree(kernel, *args)
    winners = np.zeros((1, 4, 4, 2), np.uint8)
    dy = np.full(winners.shape, np.inf, np.float32)
    agree(conv_pool.unpool, winners, dy, (8, 8), (2, 2))
    assert np.isfinite(conv_pool.unpool(np, winners, dy, (8, 8), (2, 2))).sum() == 96


def test_pooled_convolution_is_convolution_and_pooling() -> None:
    x, w = normal(3, 11, 10, 2), normal(3, 3, 2, 4)
    axes = places((11, 10), (3, 3), 1, 1, "VALID")
    outputs = conv.convolve.tiers["numpy"](np, x, w, axes)
    pools = [None, axis_of(9, 2, 2, 1, "VALID"), axis_of(8, 3, 3, 1, "VALID"), None]
    y, winners = conv_pool.convolve_and_pool(np, x, w, axes, (2, 3))
    np.testing.assert_allclose(y, pooling.max_of_windows(np, outputs, pools), rtol=1e-5)
    dy = normal(*y.shape)
    spread = pooling.max_pool_scatter(np, outputs, dy, pools)
    np.testing.assert_array_equal(conv_pool.unpool(np, winners, dy, (9, 8), (2, 3)), spread)
    np.testing.assert_allclose(
        conv_pool.pooled_filter_gradient(np, x, winners, dy, axes, (2, 3)),
        conv.filter_gradient(np, x, spread, axes),
        rtol=1e-3,
        atol=1e-4,
    )


def test_ties_go_to_the_first() -> None:
    axes = places((4, 4), (1, 1), 1, 1, "SAME")
    x, w = np.zeros((1, 4, 4, 1), np.float32), np.ones((1, 1, 1, 3), np.float32)
    for tier in conv_pool.convolve_and_pool.tiers:
        run = conv_pool.convolve_and_pool.tiers[tier]
        _, winners = run(*([np] if tier == "numpy" else []), x, w, axes, (2, 2))
        assert not winners.any()


def test_several_threads_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = places((28, 28), (5, 5), 1, 1, "SAME")
    x, w, dy = normal(24, 28, 28, 8), normal(5, 5, 8, 16), normal(24, 28, 28, 16)
    monkeypatch.setattr(threads, "_count", 3)
    agree(conv.convolve, x, w, axes, rtol=1e-3)
    agree(conv.filter_gradient, x, dy, axes, rtol=5e-3)
    agree(conv_pool.convolve_and_pool, x, w, axes, (2, 2), rtol=1e-3)

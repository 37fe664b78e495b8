"""The tiers of depthwise convolution, batch normalization and resizing against their references."""

from typing import Any

import numpy as np
import pytest

from minitf.core.kernels import table, threads
from minitf.library.images import image_resize as resize
from minitf.library.images.image_resize import Taps
from minitf.library.nets import depthwise
from minitf.library.nets import normalization as batch_norm
from minitf.library.nets.windows import axis_of
from tests.compiled import load_compiled

load_compiled()


def normal(*shape: int, kind: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(kind)


def agree(kernel: table.Kernel, *args: Any, tolerance: float = 1e-4) -> None:
    """Asserts that every tier that accepts the arguments gives what the reference gives."""
    with np.errstate(all="ignore"):
        expected = kernel.tiers["numpy"](np, *args)
        results = [run(*args) for name, run in kernel.tiers.items() if name != "numpy"]
    single = not isinstance(expected, tuple)
    for result in results:
        if result is NotImplemented:
            continue
        for one, other in zip(*([each] if single else each for each in (result, expected))):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def with_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_count", 3)


# ---- depthwise convolution ---------------------------------------------------------------


@pytest.mark.parametrize("several", [1, 3])
@pytest.mark.parametrize("padding", ["SAME", "VALID", "EXPLICIT"])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2), (3, 1), (2, 2)])
@pytest.mark.parametrize("window", [(3, 3), (1, 4), (5, 2), (1, 1)])
def test_depthwise(several: int, padding: str, stride: int, dilation: int, window: tuple) -> None:
    for batch, rows, columns, channels in (
        (2, 9, 11, 5),
        (1, 10, 9, 1),
        (1, 9, 10, 33),
        (0, 9, 9, 2),
    ):
        axes = [
            axis_of(n, k, stride, dilation, padding, (1, 2))
            for n, k in zip((rows, columns), window, strict=True)
        ]
        x, w = normal(batch, rows, columns, channels), normal(*window, channels, several)
        dy = normal(batch, *(a.outputs for a in axes), channels * several)
        agree(depthwise.depthwise, x, w, axes)
        agree(depthwise.depthwise_filter_gradient, x, dy, axes)
        agree(depthwise.depthwise, x[:, :, ::-1], w[::-1], axes)
        dx = depthwise.depthwise_input_gradient(np, w, dy, axes)
        assert dx.shape == x.shape and dx.dtype == x.dtype
        slope = (depthwise.depthwise.tiers["numpy"](np, x, w, axes) * dy).sum()
        np.testing.assert_allclose((x * dx).sum(), slope, rtol=1e-3, atol=1e-3)


def test_depthwise_in_pieces_and_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    with_threads(monkeypatch)
    for channels in (3, 600):
        axes = [axis_of(20, 3, 1, 1, "SAME")] * 2
        x, w, dy = (
            normal(8, 20, 20, channels),
            normal(3, 3, channels, 1),
            normal(8, 20, 20, channels),
        )
        agree(depthwise.depthwise, x, w, axes)
        agree(depthwise.depthwise_filter_gradient, x, dy, axes, tolerance=1e-3)


# ---- batch normalization -----------------------------------------------------------------

ROWS = [(1, 1, 1), (200, 3, 1), (70, 5, 9), (4, 2, 300), (0, 3, 1), (1000, 64, 1)]


@pytest.mark.parametrize("shape", ROWS)
@pytest.mark.parametrize("shift", [0, 1000])
def test_batch_norm(shape: tuple, shift: float, monkeypatch: pytest.MonkeyPatch) -> None:
    with_threads(monkeypatch)
    x, dy = normal(*shape) + np.float32(shift), normal(*shape)
    mean, a, b, c = (normal(shape[1]) for _ in range(4))
    agree(batch_norm.moments, x, tolerance=1e-3)
    agree(batch_norm.normalized, x, mean + np.float32(shift), a, b)
    agree(batch_norm.gradient_sums, dy, x, mean + np.float32(shift), tolerance=5e-3)
    agree(batch_norm.mixed, dy, x, mean + np.float32(shift), a, b, c)


def test_moments_are_those_of_double_precision() -> None:
    x = normal(50_000, 4, 1) + np.float32(100)
    exact = x.astype(np.float64)
    for run in (v for k, v in batch_norm.moments.tiers.items() if k != "numpy"):
        mean, variance = run(x)
        np.testing.assert_allclose(mean, exact.mean(axis=(0, 2)), rtol=1e-6)
        np.testing.assert_allclose(variance, exact.var(axis=(0, 2)), rtol=1e-5)


def test_batch_norm_keeps_nan_to_its_channel() -> None:
    x = normal(100, 3, 1)
    x[3, 1], x[5, 2] = np.nan, np.inf
    agree(batch_norm.moments, x)
    with np.errstate(all="ignore"):
        variance = batch_norm.moments(np, x)[1]
    assert np.isfinite(variance).tolist() == [True, False, False]


def test_other_types_are_served() -> None:
    for kind in (np.float64, np.float16):
        x = normal(20, 3, 1, kind=kind)
        mean, variance = batch_norm.moments(np, x)
        assert mean.dtype == variance.dtype == kind
        np.testing.assert_allclose(mean, x.mean(axis=(0, 2)), atol=1e-2)


# ---- resizing ----------------------------------------------------------------------------


def taps(size: int, new: int, count: int) -> Taps:
    rng = np.random.default_rng(size + new)
    return Taps(rng.integers(0, size, (new, count)), rng.random((new, count), np.float32))


@pytest.mark.parametrize("channels", [1, 3, 16, 37])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("sizes", [(5, 6, 9, 4), (1, 1, 3, 2), (8, 7, 1, 20)])
def test_resizing(channels: int, count: int, sizes: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    with_threads(monkeypatch)
    height, width, *new = sizes
    both = taps(height, new[0], count), taps(width, new[1], count)
    for batch in (0, 1, 5):
        agree(resize.mix, normal(batch, height, width, channels), *both)
        agree(resize.mix, normal(batch, width, height, channels).swapaxes(1, 2), *both)
        agree(resize.mix_back, normal(batch, *new, channels), height, width, *both)
        chosen = [each.places[:, 0] for each in both]
        agree(resize.pick, normal(batch, height, width, channels), *chosen, tolerance=0)
    x = normal(2, height, width, channels)
    dy = normal(2, *new, channels)
    back = resize.mix_back(np, dy, height, width, *both)
    np.testing.assert_allclose((resize.mix(np, x, *both) * dy).sum(), (x * back).sum(), rtol=1e-3)


def test_infinities_stay_where_they_are() -> None:
    x = normal(1, 4, 4, 3)
    x[0, 0, 0] = np.inf
    side_by_side = Taps(np.array([[0, 1], [2, 3]]), np.full((2, 2), 0.5, np.float32))
    for name, run in resize.mix.tiers.items():
        y = run(*([np] if name == "numpy" else []), x, side_by_side, side_by_side)
        assert np.isinf(y[0, 0, 0]).all()
        assert np.isfinite(y).sum() == 9


def test_other_types_of_images_are_served() -> None:
    both = taps(4, 6, 2), taps(5, 3, 2)
    for kind in (np.float64, np.float16):
        assert resize.mix_back(np, normal(1, 6, 3, 2, kind=kind), 4, 5, *both).dtype == kind

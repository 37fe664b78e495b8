"""Softmax and the cross entropies: the formula, blocks beside it, the compiled rows beside both."""

from typing import Any

import numpy as np
import pytest

from minitf.core.kernels import dense, threads
from tests.compiled import load_compiled

load_compiled()

SHAPES = [(1, 1), (40, 3), (3, 40), (2, 100), (700, 64), (300, 1000), (0, 3)]
ODD = np.array(
    [
        [np.nan, 1, 2, 3],
        [np.inf, 1, 2, 3],
        [-np.inf, 1, 2, 3],
        [np.inf, np.inf, -np.inf, np.nan],
        [-np.inf, -np.inf, -np.inf, -np.inf],
        [-np.nan, -np.nan, -np.nan, -np.nan],
        [3e38, -3e38, 1e-40, -0.0],
        [88, 89, 104, -104],
    ],
    np.float32,
)


def tiers(kernel: Any, *args: Any) -> list[Any]:
    """What every tier that takes the arguments makes of them, the reference first."""
    with np.errstate(all="ignore"):
        results = [kernel.tiers["numpy"](np, *args)]
        results += [run(*args) for name, run in kernel.tiers.items() if name != "numpy"]
    return [r for r in results if r is not NotImplemented]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [*SHAPES, (5,), (2, 3, 4), (3, 2, 1000)])
@pytest.mark.parametrize("shift", [0, -30, 100])
def test_softmax_is_its_formula(shift: int, shape: Any, dtype: Any) -> None:
    x = (5 * np.random.default_rng(0).normal(size=shape) + shift).astype(dtype)
    x.flags.writeable = False
    wide = x.astype(np.float64)
    logs = wide - np.log(np.exp(wide).sum(axis=-1, keepdims=True))
    for kernel, expected in ((dense.softmax, np.exp(logs)), (dense.log_softmax, logs)):
        results = tiers(kernel, x)
        compiled = "numba" in kernel.tiers and dtype == np.float32 and x.size > 0
        assert len(results) == 1 + ("blocks" in kernel.tiers) + compiled
        for result in results:
            assert result.shape == x.shape and result.dtype == dtype
            near = max(30 * np.finfo(dtype).eps, 1e-13)
            np.testing.assert_allclose(result, expected, rtol=near, atol=near)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_cross_entropies(shape: Any, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    x = (5 * rng.normal(size=shape)).astype(dtype)
    classes = rng.integers(0, shape[1], shape[0])
    labels = np.eye(shape[1])[classes].astype(dtype)
    p = np.exp(x.astype(np.float64))
    p /= p.sum(axis=1, keepdims=True)
    expected = -np.log(p[np.arange(len(p)), classes]), p - labels
    results = tiers(dense.softmax_cross_entropy, x, labels)
    for places in (classes, classes.astype(np.int32)):
        results += tiers(dense.sparse_softmax_cross_entropy, x, places)
    for result in results:
        for got, wanted in zip(result, expected, strict=True):
            assert got.dtype == dtype
            near = 30 * np.finfo(dtype).eps
            np.testing.assert_allclose(got, wanted, rtol=near, atol=near)


@pytest.mark.parametrize("repeat", [1, 20])
def test_what_is_no_number_stays_so(repeat: int) -> None:
    x = np.repeat(ODD, repeat, axis=1)
    labels = np.zeros_like(x)
    labels[:, 1] = 1
    for kernel, args in (
        (dense.softmax, (x,)),
        (dense.log_softmax, (x,)),
        (dense.softmax_cross_entropy, (x, labels)),
        (dense.sparse_softmax_cross_entropy, (x, labels.argmax(axis=1))),
    ):
        first, *others = tiers(kernel, *args)
        for result in others:
            pairs = zip(first, result, strict=True) if len(args) > 1 else [(first, result)]
            for one, other in pairs:
                np.testing.assert_allclose(other, one, rtol=1e-6, atol=1e-6)


def test_large_arrays_are_split(monkeypatch: Any) -> None:
    monkeypatch.setattr(threads, "_count", 3)
    x = np.random.default_rng(0).normal(size=(1001, 500)).astype("f")
    expected = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    for result in tiers(dense.softmax, x):
        np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_strange_layouts() -> None:
    x = np.random.default_rng(0).normal(size=(100, 100)).astype("f").T
    for result in tiers(dense.softmax, x):
        np.testing.assert_allclose(result.sum(axis=1), np.ones(100), rtol=1e-5)
    labels = np.broadcast_to(np.float32(0.01), x.shape)
    kernel = dense.softmax_cross_entropy
    assert len(tiers(kernel, x, labels)) == 1 + ("blocks" in kernel.tiers)

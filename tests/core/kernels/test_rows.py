"""Adding rows: the tiers and a plain loop in Python give the same."""

from typing import Any

import numpy as np
import pytest

from minitf.core.graph import errors
from minitf.core.kernels.rows import (
    add_rows,
    check_indices,
    choose_rows,
    kept_copy,
    scatter_rows,
)
from tests.compiled import load_compiled

load_compiled()


def by_hand(target: Any, indices: Any, rows: Any, sign: int) -> Any:
    total = target.copy()
    for place, row in zip(
        indices.ravel(), rows.reshape(indices.size, *target.shape[1:]), strict=True
    ):
        total[place] += sign * row
    return total


@pytest.mark.parametrize("tier", scatter_rows.tiers)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.float16, np.complex64])
@pytest.mark.parametrize("shape", [(7,), (7, 3), (7, 2, 3), (7, 0)])
@pytest.mark.parametrize("count", [0, 5, 60])
@pytest.mark.parametrize("subtract", [False, True])
def test_the_ways_agree(
    tier: str, dtype: Any, shape: Any, count: int, subtract: bool, monkeypatch: Any
) -> None:
    run = scatter_rows.tiers[tier]
    monkeypatch.setattr(scatter_rows, "_faster", (run,) if tier != "numpy" else ())
    rng = np.random.default_rng(count)
    target = rng.integers(-5, 5, shape).astype(dtype)
    indices = rng.integers(0, 7, (count // 5, 5) if count else (0,)).astype(np.int32)
    rows = rng.integers(-5, 5, (*indices.shape, *shape[1:])).astype(dtype)
    expected = by_hand(target, indices, rows, -1 if subtract else 1)
    add_rows(np, target, indices, rows, subtract)
    np.testing.assert_array_equal(target, expected)


def test_one_number_for_all_rows() -> None:
    target = np.zeros((4, 2), np.float32)
    add_rows(np, target, np.array([1, 1, 3]), np.float32(2.0))
    assert target.tolist() == [[0, 0], [4, 4], [0, 0], [2, 2]]


def test_indices_outside() -> None:
    check_indices(np, np.array([0, 4]), 5)
    with pytest.raises(errors.InvalidArgumentError, match=r"indices\[1\] = -1 is not in \[0, 5\)"):
        check_indices(np, np.array([0, -1]), 5)
    with pytest.raises(errors.InvalidArgumentError, match=r"indices = 9 is not in \[0, 5\)"):
        check_indices(np, np.int32(9), 5)


@pytest.mark.parametrize("width", [(), (3,), (40,), (5, 6)])
def test_chosen_rows(width: tuple) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, *width)), rng.normal(size=(6, *width))
    condition = np.array([True, False, False, True, True, False])
    expected = np.array([a if c else b for c, a, b in zip(condition, x, y, strict=True)])
    np.testing.assert_array_equal(choose_rows.tiers["numpy"](np, condition, x, y), expected)
    np.testing.assert_array_equal(choose_rows(np, condition, x, y), expected)


@pytest.mark.parametrize("value", [np.ones((3, 4), "f").T, np.array([b"a", b"bc"], object)])
def test_copies_to_keep(value: Any) -> None:
    for copy in (kept_copy.tiers["numpy"](np, value), kept_copy(np, value)):
        assert copy.flags.c_contiguous and not np.shares_memory(copy, value)
        np.testing.assert_array_equal(copy, value)

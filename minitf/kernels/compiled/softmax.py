"""Softmax and the cross entropies, row by row: each row is read from memory once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.kernels import softmax
from minitf.kernels.compiled._loops import loop
from minitf.kernels.compiled._math import exp, log
from minitf.kernels.threads import split

_ROWS = "float32[:, ::1]"
_PIECE = 50_000  # elements: about 50 us


@loop(f"float32({_ROWS}, int64)")
def _largest(x, i):
    """The largest of a row; what is no number is passed over, and comes out of the sum."""
    top = np.float32(-np.inf)
    for j in range(x.shape[1]):
        top = max(top, x[i, j])
    return top


@loop(f"void({_ROWS}, {_ROWS})")
def _softmax(x, y):
    for i in range(x.shape[0]):
        top, total = _largest(x, i), np.float32(0)
        for j in range(x.shape[1]):
            y[i, j] = exp(x[i, j] - top)
            total += y[i, j]
        share = np.float32(1) / total
        for j in range(x.shape[1]):
            y[i, j] *= share

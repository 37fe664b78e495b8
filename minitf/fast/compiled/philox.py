"""Scrambling counters: all ten rounds of a counter while it is in registers."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels import philox
from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import loop

_FOUR = "{0}, {0}, {0}, {0}"
_PIECE = 20_000  # counters: about 50 us


@loop(f"void(const(uint64[::1]), {_FOUR.format('uint64')}, {_FOUR.format('uint32[::1]')})")
def _scramble(offsets, start, above, k0, k1, w0, w1, w2, w3):
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    m0, m1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
    step0, step1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
    for i in range(offsets.size):
        place = offsets[i] + start
        high = above + np.uint64(place < start)  # a carry
        c0, c1, c2, c3 = place & low, place >> half, high & low, high >> half
        key0, key1 = k0, k1
        for _ in range(10):
            p0, p1 = c0 * m0, c2 * m1
            c0, c1 = (p1 >> half) ^ c1 ^ key0, p1 & low
            c2, c3 = (p0 >> half) ^ c3 ^ key1, p0 & low
            key0, key1 = (key0 + step0) & low, (key1 + step1) & low
        w0[i], w1[i], w2[i], w3[i] = c0, c1, c2, c3


@philox.scrambled.tier("numba")
def _(offsets: Any, counter: int, key: tuple[int, int]) -> Any:
    if len(offsets) and not contiguous("LQ", offsets):
        return NotImplemented
    words = np.empty((4, len(offsets)), np.uint32)  # so that eight counters fill a register
    start, above = counter & (1 << 64) - 1, counter >> 64
    split(
        lambda first, last: _scramble(
            offsets[first:last], start, above, *key, *words[:, first:last]
        ),
        len(offsets),
        _PIECE,
    )
    return words.T

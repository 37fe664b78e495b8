"""Philox 4x32-10: the random numbers that TensorFlow draws from two seeds.

A counter-based generator: element k of a sequence is a scrambled k, so any part can be computed
alone. A step of the counter of 128 bits gives four words of 32 bits, by ten rounds:

    c0, c1, c2, c3  ->  high(M1 c2) ^ c1 ^ k0,  low(M1 c2),  high(M0 c0) ^ c3 ^ k1,  low(M0 c0)

After each of them the key moves on. Source: Salmon, Moraes, Dror and Shaw, "Parallel Random
Numbers: As Easy as 1, 2, 3" (2011). How words become numbers, and how far each operation moves the
counter, is TensorFlow's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minitf.core.kernels.table import kernel

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_64 = (1 << 64) - 1
_BLOCK = 4096  # counters: what a round touches stays in the second cache


@kernel(
    compiled="philox",
    takes=lambda offsets, counter, key: (
        offsets.ndim == 1
        and offsets.dtype == np.uint64
        and 0 <= counter < 1 << 128
        and 0 <= min(key) <= max(key) < 1 << 32
    ),
)
def scrambled(xp: Any, offsets: np.ndarray, counter: int, key: tuple[int, int]) -> np.ndarray:
    """The words at some places of a sequence, `uint32[n, 4]`.

    Args:
      xp: NumPy.
      offsets: how far the places are from the counter, `uint64[n]`.
      counter: of 128 bits.
      key: two words.
    """
    words = np.empty((len(offsets), 4), np.uint32)
    start = np.uint64(counter & _64)
    for begin in range(0, len(offsets), _BLOCK):
        low = offsets[begin : begin + _BLOCK] + start
        high = np.full_like(low, counter >> 64)
        high += low < start  # a carry
        c = [low & _LOW, low >> _HALF, high & _LOW, high >> _HALF]
        for turn in range(10):
            k0, k1 = (np.uint64(k + turn * s & 0xFFFFFFFF) for k, s in zip(key, _KEY_STEPS))
            p0, p1 = c[0] * _M0, c[2] * _M1
            even, odd = p1 >> _HALF, p0 >> _HALF
            even ^= c[1]
            even ^= k0
            odd ^= c[3]
            odd ^= k1
            p1 &= _LOW
            p0 &= _LOW
            c = [even, p1, odd, p0]
        for place, each in enumerate(c):
            words[begin : begin + _BLOCK, place] = each
    return words


def _floats(words: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Evenly from [0, 1): the last bits of a word (for doubles, of two) behind a one, minus one."""
    if dtype.itemsize == 8:
        bits = (words[0::2] & np.uint32(0xFFFFF)).astype(np.uint64) << _HALF
        bits |= words[1::2]
        bits |= np.uint64(1023 << 52)
        return bits.view(np.float64) - 1.0
    if dtype.itemsize == 4:
        bits = words & np.uint32(0x7FFFFF)
        bits |= np.uint32(127 << 23)
        numbers = bits.view(np.float32)
        numbers -= np.float32(1.0)
        return numbers
    mantissa, one = (10, 15 << 10) if dtype == np.float16 else (7, 127 << 7)
    small = (words & np.uint32((1 << mantissa) - 1)).astype(np.uint16) | np.uint16(one)
    return small.view(dtype) - dtype.type(1)


def _normal(words: np.ndarray, kind: type) -> np.ndarray:
    """Pairs of independent normal numbers from pairs of even ones, by Box and Muller's method."""
    even = _floats(words, np.dtype(kind)).reshape(-1, 2)
    radius = np.sqrt(kind(-2.0) * np.log(np.maximum(even[:, 0], kind(1e-7))))
    angle: np.ndarray = (2.0 * np.pi * even[:, 1].astype(np.float64)).astype(kind)
    pairs = np.empty_like(even)
    np.multiply(np.sin(angle), radius, out=pairs[:, 0])
    np.multiply(np.cos(angle), radius, out=pairs[:, 1])
    return pairs.ravel()


def _kind(dtype: np.dtype) -> type:
    """The type in which normal numbers are computed."""
    return np.float64 if dtype.itemsize == 8 else np.float32


class Philox:
    """A position in a sequence; each draw advances it as far as in TensorFlow.

    Args:
      key: of 64 bits.
      counter: of 128 bits.
    """

    _RESERVED = 256  # steps for each number: some distributions need to try again

    def __init__(self, key: int, counter: int) -> None:
        self._key = key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF
        self._counter = counter

    @classmethod
    def of_seeds(cls, seed: int, seed2: int) -> Philox:
        """The sequence of an operation with these seeds."""
        return cls(seed, (seed2 & _64) << 64)

    def _reserve(self, steps: int) -> int:
        start = self._counter
        self._counter = (start + steps) & (1 << 128) - 1
        return start

    def words(self, count: int, reserved: int) -> np.ndarray:
        """The next `count` words; advances by `reserved` steps of four words."""
        steps = np.arange(-(-count // 4), dtype=np.uint64)
        return scrambled(np, steps, self._reserve(reserved), self._key).ravel()[:count]

    def uniform(self, sizes: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Floats drawn evenly from [0, 1)."""
        dtype, count = np.dtype(dtype), math.prod(sizes)
        each = 2 if dtype.itemsize == 8 else 1
        return _floats(self.words(each * count, self._RESERVED * count), dtype).reshape(sizes)

    def normal(self, sizes: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Floats of the normal distribution with mean 0 and standard deviation 1."""
        dtype, count = np.dtype(dtype), math.prod(sizes)
        pairs, each = -(-count // 2), 2 if dtype.itemsize == 8 else 1
        words = self.words(2 * each * pairs, self._RESERVED * count)
        return _normal(words, _kind(dtype))[:count].astype(dtype, copy=False).reshape(sizes)

    def truncated_normal(self, sizes: tuple[int, ...], dtype: Any) -> np.ndarray:
        """As `normal`, but the first numbers that are no further than 2 from 0.

        Each four numbers (two doubles) are taken from their own part of the sequence.
        """
        dtype, count = np.dtype(dtype), math.prod(sizes)
        wanted = 2 if dtype.itemsize == 8 else 4
        start = self._reserve(self._RESERVED * count)
        firsts = np.arange(-(-count // wanted), dtype=np.uint64)
        firsts *= np.uint64(self._RESERVED * wanted // 4)

        def candidates(firsts: np.ndarray, steps: int) -> np.ndarray:
            places = (firsts[:, None] + np.arange(steps, dtype=np.uint64)).ravel()
            words = scrambled(np, places, start, self._key).ravel()
            return _normal(words, _kind(dtype)).reshape(len(firsts), wanted * steps)

        found, steps = candidates(firsts, 1), 2  # one step in six has a number beyond 2
        short = np.flatnonzero((np.abs(found) >= 2).any(axis=1))
        while short.size:
            numbers = candidates(firsts[short], steps)
            fits = np.abs(numbers) < 2
            order = np.cumsum(fits, axis=1)
            done = order[:, -1] >= wanted
            chosen = fits[done] & (order[done] <= wanted)
            found[short[done]] = numbers[done][chosen].reshape(-1, wanted)
            short, steps = short[~done], 2 * steps
        return found.ravel()[:count].astype(dtype, copy=False).reshape(sizes)

    def integers(self, low: int, high: int, sizes: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Integers drawn evenly (but for a rest of the division) from [low, high)."""
        dtype, count = np.dtype(dtype), math.prod(sizes)
        wide = dtype.itemsize == 8
        words = self.words(2 * count if wide else count, self._RESERVED * count)
        unsigned = words.view(np.uint64) if wide else words
        rest = unsigned % unsigned.dtype.type(high - low)
        return (
            (rest + unsigned.dtype.type(low % (1 << 8 * dtype.itemsize))).view(dtype).reshape(sizes)
        )

    def permutation(self, count: int) -> np.ndarray:
        """The places 0 to count - 1 in a random order, by Fisher and Yates' method."""
        draws = max(count - 1, 0)
        words = self.words(draws, -(-draws // 4)).tolist()
        order = list(range(count))
        for place, word in enumerate(words):
            other = place + word % (count - place)
            order[place], order[other] = order[other], order[place]
        return np.array(order)

    def points(self, rows: int, count: int) -> np.ndarray:
        """Doubles drawn evenly from [0, 1), for so many samples from each of several rows."""
        words = self.words(2 * rows * count, self._RESERVED * rows * 2 * (-(-count // 4) * 4))
        return _floats(words, np.dtype(np.float64)).reshape(rows, count)

"""Gamma, Poisson and binomial numbers from Philox: tried again until one fits, as in TensorFlow.

    sample 0    [ words 0 .. 1023 ]      each has a part of the sequence of its own to try in, from
    sample 1    [ 1024 .. 2047 ]         which normal and even doubles come by twos, the second
    ...                                  first

All samples that have not found their number yet take one step together. Which method is used, and
which constants, is TensorFlow's, so that the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.kernels.philox import Philox, _floats, _normal, scrambled
from minitf.library.numeric.gamma_functions import log_gamma

_WAITING = 42  # steps of a binomial number that adds up waiting times
Where = Any  # the samples that take a step: their numbers, int[n]


class _Parts:
    """Doubles for each of several samples, from parts of a sequence of their own.

    Args:
      philox: the sequence.
      start: its counter where the first part begins.
      at: how far each part is from there, `uint64[samples]`.
    """

    def __init__(self, philox: Philox, start: int, at: np.ndarray) -> None:
        self._key, self._start, self._at = philox._key, start, at
        self._even, self._normal = (
            (np.empty((len(at), 2)), np.zeros(len(at), np.int8)) for _ in range(2)
        )

    def even(self, of: Where) -> np.ndarray:
        """One number from [0, 1) for each sample in `of`."""
        return self._next(*self._even, of, _floats, np.dtype(np.float64))

    def normal(self, of: Where) -> np.ndarray:
        """One normal number for each sample in `of`."""
        return self._next(*self._normal, of, _normal, np.float64)

    def _next(
        self, held: np.ndarray, left: np.ndarray, of: Where, made: Callable[..., Any], kind: Any
    ) -> np.ndarray:
        empty = of[left[of] == 0]
        if empty.size:
            words = scrambled(np, self._at[empty], self._start, self._key).ravel()
            self._at[empty] += np.uint64(1)
            held[empty], left[empty] = made(words, kind).reshape(-1, 2), 2
        left[of] -= 1
        return held[of, left[of]]


def _parts(philox: Philox, count: int) -> _Parts:
    at = np.arange(count, dtype=np.uint64) * np.uint64(Philox._RESERVED)
    return _Parts(philox, philox._reserve(Philox._RESERVED * count), at)


def _tried(found: np.ndarray, of: Where, attempt: Callable[[Where], tuple[Any, Any]]) -> None:
    """Lets samples try until each has a number.

    Args:
      found: where the numbers go.
      of: the samples.
      attempt: gives a number for each sample, and whether it fits.
    """
    with np.errstate(all="ignore"):  # what lies outside is rejected after it was computed
        while of.size:
            numbers, fits = attempt(of)
            found[of[fits]] = numbers[fits]
            of = of[~fits]


def gamma(philox: Philox, samples: int, alphas: np.ndarray) -> np.ndarray:
    """Numbers of gamma distributions of scale 1.

    Source: Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000); an alpha
    below 1 is drawn as one larger by 1, times a power, and that of 1 by its inverse.

    Args:
      philox: the sequence, which moves on.
      samples: how many for each alpha.
      alphas: [n] float64.
    Returns: [samples, n] float64; NaN where an alpha is or is negative.
    """
    count = samples * alphas.size
    alpha = np.repeat(alphas, samples)
    parts, found, small = _parts(philox, count), np.full(count, np.nan), alpha < 1
    d = alpha + np.where(small, 2 / 3, -1 / 3)

    def attempt(of: Where) -> tuple[Any, Any]:
        x = parts.normal(of)
        v = 1 + 1 / 3 / np.sqrt(d[of]) * x
        fits = v > 0
        inside, x, v = of[fits], x[fits], v[fits]
        v = v * v * v
        u, square = parts.even(inside), x * x
        squeezed = u < 1 - 0.0331 * square * square
        below = np.log(u) < 0.5 * square + d[inside] * (1 - v + np.log(v))
        numbers = np.zeros(len(of))
        numbers[fits] = d[inside] * v
        fits[fits] = squeezed | below
        return numbers, fits

    one = np.flatnonzero(alpha == 1)
    found[one] = -np.log1p(-parts.even(one))
    _tried(found, np.flatnonzero((alpha >= 0) & (alpha != 1)), attempt)
    turned = np.flatnonzero(small)
    with np.errstate(divide="ignore"):  # an alpha of 0
        found[turned] *= parts.even(turned) ** (1 / alpha[turned])
    return found.reshape(alphas.size, samples).T


def poisson(philox: Philox, samples: int, rates: np.ndarray) -> np.ndarray:
    """Numbers of Poisson distributions.

    Sources: Knuth, "Seminumerical Algorithms", for rates below 10; for others Hormann, "The
    Transformed Rejection Method for Generating Poisson Random Variables" (1993).

    Args:
      philox: the sequence, which moves on.
      samples: how many for each rate.
      rates: [n] float64.
    Returns: [samples, n] float64; NaN where a rate is not finite.
    """
    count = samples * rates.size
    rate = np.repeat(rates, samples)
    parts, found = _parts(philox, count), np.zeros(count)
    with np.errstate(over="ignore"):
        product, end = np.ones(count), np.exp(-rate)

    def arrived(of: Where) -> tuple[Any, Any]:
        product[of] *= parts.even(of)
        over = product[of] <= end[of]
        found[of[~over]] += 1
        return found[of], over

    b = 0.931 + 2.53 * np.sqrt(np.maximum(rate, 0))
    a = -0.059 + 0.02483 * b

    def attempt(of: Where) -> tuple[Any, Any]:
        u = parts.even(of) - 0.5
        v = parts.even(of)
        us, mean, wide, tall = 0.5 - abs(u), rate[of], b[of], a[of]
        k = np.floor((2 * tall / us + wide) * u + mean + 0.43)
        at_once = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (wide - 2))
        never = (k < 0) | (us < 0.013) & (v > us)
        alpha = 1.1239 + 1.1328 / (wide - 3.4)
        s = np.log(v * alpha / (tall / (us * us) + wide))
        fits = s <= -mean + k * np.log(mean) - log_gamma(np, k + 1)
        return k, at_once | ~never & fits

    _tried(found, np.flatnonzero(rate < 10), arrived)
    _tried(found, np.flatnonzero((rate >= 10) & np.isfinite(rate)), attempt)
    found[~np.isfinite(rate)] = np.nan
    return found.reshape(rates.size, samples).T


#: What Stirling's formula lacks of log k!, for k up to 9.
_TAILS = np.array([
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
    0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
    0.00925546218271273, 0.00833056343336287,
])  # fmt: skip


def _tail(k: np.ndarray) -> np.ndarray:
    square = (k + 1) * (k + 1)
    formula = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    few = np.clip(np.nan_to_num(k), 0, len(_TAILS) - 1).astype(np.intp)
    return np.where(k <= 9, _TAILS[few], formula)


def binomial(philox: Philox, samples: int, counts: np.ndarray, probs: np.ndarray) -> np.ndarray:
    """Numbers of binomial distributions: how many attempts succeed.

    Sources: where ten successes and more are expected, Hormann, "The Generation of Binomial Random
    Variates" (1993); elsewhere the waiting times for a success are added up. Of successes and
    failures the rarer ones are drawn.

    Args:
      philox: the sequence, which moves on.
      samples: how many for each pair.
      counts: [n] how many attempts.
      probs: [n], of the same type, with which probability each succeeds.
    Returns: [samples, n] float64; NaN where the probability is.
    """
    total = samples * counts.size
    turned = probs > 0.5
    rare = np.where(turned, 1 - probs, probs).astype(probs.dtype)
    many = np.repeat(counts * rare >= 10, samples)
    count, prob, odd = (np.repeat(x.astype(np.float64), samples) for x in (counts, rare, probs))
    start = philox._reserve(Philox._RESERVED * (counts.size * 2 * 100 * (samples + 3) // 4))
    at = np.arange(total, dtype=np.uint64) * np.where(many, Philox._RESERVED, _WAITING)
    parts = _Parts(philox, start, at.astype(np.uint64))
    found, waited = np.zeros(total), np.zeros(total)
    drawn = (count > 0) & (odd > 0) & (odd < 1)

    def passed(of: Where) -> tuple[Any, Any]:
        waited[of] += np.ceil(np.log(parts.even(of)) / np.log1p(-prob[of]))
        over = waited[of] > count[of]
        found[of[~over]] += 1
        return found[of], over

    def attempt(of: Where) -> tuple[Any, Any]:
        n, p = count[of], prob[of]
        spread, ratio, mode = np.sqrt(n * p * (1 - p)), p / (1 - p), np.floor((n + 1) * p)
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * p
        u = parts.even(of) - 0.5
        v = parts.even(of)
        us = 0.5 - abs(u)
        k = np.floor((2 * a / us + b) * u + n * p + 0.5)
        at_once = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
        bound = (
            (mode + 0.5) * np.log((mode + 1) / (ratio * (n - mode + 1)))
            + (n + 1) * np.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * np.log(ratio * (n - k + 1) / (k + 1))
            + _tail(mode) + _tail(n - mode) - _tail(k) - _tail(n - k)
        )  # fmt: skip
        fits = np.log(v * (2.83 + 5.1 / b) * spread / (a / (us * us) + b)) <= bound
        return k, at_once | (k >= 0) & (k <= n) & fits

    _tried(found, np.flatnonzero(drawn & ~many), passed)
    _tried(found, np.flatnonzero(drawn & many), attempt)
    found = np.where(np.repeat(turned, samples) & drawn, count - found, found)
    found = np.where((count > 0) & (odd >= 1), count, found)
    found[(count > 0) & np.isnan(odd)] = np.nan
    return found.reshape(counts.size, samples).T

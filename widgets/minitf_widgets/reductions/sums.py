"""A dot product, added up by one thread and by a tree of threads, with every partial sum.

    one thread   t=1  x0*w0      t=2  + x1*w1      t=3  + x2*w2  ...                N steps
    a tree       t=1  all products     t=2  pairs of them     t=3  pairs of those   1 + log2 N steps

With fewer threads than there are products or pairs, a level takes several steps. Sums are made in
the vectors' own dtype, one addition at a time, so that they show its rounding too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["MOST", "Round", "Sums", "number", "rounds_of", "sums_of"]

MOST = 65_536  # elements


def number(value: Any, digits: int = 4) -> str:
    """A number as short as it can be read.

    Example:
      >>> number(3.14159), number(12345678.0), number(np.float32(0.1)), number(7)
      ('3.142', '1.235e7', '0.1', '7')
    """
    text = f"{float(value):.{digits}g}"
    return text.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


@dataclasses.dataclass(frozen=True)
class Round:
    """What the threads of the tree do in one step.

    Attributes:
      level: 0 for products, 1 for sums of two of them, and so on.
      first, count: which results of the level are made: first, ..., first + count - 1.
      active: how many threads work; a number without a partner is handed on by none.
    """

    level: int
    first: int
    count: int
    active: int


@dataclasses.dataclass(frozen=True)
class Sums:
    """All numbers that come up on the way.

    Attributes:
      a, b: the vectors.
      running: the sum of one thread after each step.
      levels: the products, and what each level of the tree makes of them; the last one is the sum.
      exact: the dot product without rounding.
    """

    a: np.ndarray
    b: np.ndarray
    running: np.ndarray
    levels: list[np.ndarray]
    exact: float


def sums_of(a: Any, b: Any) -> Sums:
    """Adds a dot product up in both ways.

    Args:
      a, b: vectors of one length, 1 to 65,536.
    Raises:
      ValueError: when they are none, or their lengths differ.
    Example:
      >>> made = sums_of([1.0, 2.0, 3.0], [0.5, 0.5, 0.5])
      >>> [level.tolist() for level in made.levels]
      [[0.5, 1.0, 1.5], [1.5, 1.5], [3.0]]
      >>> made.running.tolist()
      [0.5, 1.5, 3.0]
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 1 or a.shape != b.shape or not 1 <= a.size <= MOST or a.dtype.kind not in "iuf":
        raise ValueError(
            f"DotProduct needs two vectors of 1 to {MOST:,} numbers and of one length, "
            f"got {a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}."
        )
    levels = [a * b]
    while levels[-1].size > 1:
        below = levels[-1]
        sums = below[0::2].copy()
        sums[: below.size // 2] += below[1::2]
        levels.append(sums)
    running = np.add.accumulate(levels[0])
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    return Sums(a, b, running, levels, float(exact))


def rounds_of(sizes: Sequence[int], threads: int) -> list[Round]:
    """What a tree's threads do, step by step.

    Args:
      sizes: how many results each level has; of N products N, then half of it, rounded up, ...
      threads: how many work at the same time.
    Example:
      >>> [each.active for each in rounds_of([8, 4, 2, 1], 8)]
      [8, 4, 2, 1]
      >>> [each.active for each in rounds_of([8, 4, 2, 1], 4)]
      [4, 4, 4, 2, 1]
    """
    rounds = []
    for level, size in enumerate(sizes):
        work = sizes[level - 1] // 2 if level else size  # an odd one out needs no addition
        for first in range(0, work, threads):
            active = min(threads, work - first)
            last = first + active == work
            rounds.append(Round(level, first, size - first if last else active, active))
    return rounds

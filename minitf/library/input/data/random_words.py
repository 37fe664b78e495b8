"""The random words by which datasets and queues put their elements in order, as TensorFlow's do."""

from __future__ import annotations

import random

from minitf.core.kernels.philox import Philox


class Words:
    """Random words of 32 bits one after the other, as TensorFlow's datasets draw them.

    Args:
      seed, seed2: of the sequence; where both are zero, two that nobody can tell.
    """

    def __init__(self, seed: int, seed2: int) -> None:
        if not (seed or seed2):
            seed, seed2 = (random.SystemRandom().getrandbits(62) for _ in range(2))
        self.seeds = seed, seed2
        self._sequence = Philox.of_seeds(seed, seed2)
        self._ready: list[int] = []

    def take(self, count: int) -> list[int]:
        """The next ones."""
        while len(self._ready) < count:  # to draw a thousand costs no more time than two
            self._ready += self._sequence.words(1024, 256).tolist()
        found, self._ready = self._ready[:count], self._ready[count:]
        return found


class Seeds:
    """Where the random orders of one dataset come from: a pair of words for each walk over it.

    seeds of the dataset ──> w0 w1 w2 w3 ...
                             └─┬─┘ └─┬─┘
                           walk 0  walk 1 ──> words: the next element is number word % size

    Args:
      seed, seed2: both zero for an order that nobody can tell.
      again: whether each walk over the dataset has an order of its own.
    """

    def __init__(self, seed: int, seed2: int, again: bool) -> None:
        self._own, self._again = Words(seed, seed2), again

    def words(self) -> Words:
        """The random words of the next walk."""
        return Words(*(self._own.take(2) if self._again else self._own.seeds))

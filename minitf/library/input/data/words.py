"""The random words by which datasets put their elements in order, as TensorFlow's do.

seeds of the dataset ──> w0 w1 w2 w3 ...        a pair for each walk over it
                         └─┬─┘ └─┬─┘
                       walk 0  walk 1 ──> words: the next element is number word % size
"""

from __future__ import annotations

import random

from minitf.core.kernels.philox import Philox


def known(seed: int, seed2: int) -> tuple[int, int]:
    """The seeds, or where both are zero two that nobody can tell."""
    if seed or seed2:
        return seed, seed2
    return random.SystemRandom().getrandbits(62), random.SystemRandom().getrandbits(62)


class Words:
    """Random words of 32 bits one after the other, as TensorFlow's datasets draw them.

    Args:
      seed, seed2: of the sequence.
      drawn: how many are behind us.
    """

    def __init__(self, seed: int, seed2: int, drawn: int = 0) -> None:
        self._seeds, self._drawn = (seed, seed2), drawn
        self._sequence = Philox.of_seeds(seed, seed2)
        self._sequence.words(0, drawn // 4)
        self._ready: list[int] = []
        if drawn % 4:
            self._draw()
            del self._ready[: drawn % 4]

    def _draw(self) -> None:
        """Makes more words ready: a thousand cost no more time than two."""
        self._ready += self._sequence.words(1024, 256).tolist()

    @property
    def state(self) -> tuple[int, int, int]:
        """The arguments of a copy that goes on from here."""
        return *self._seeds, self._drawn

    def take(self, count: int) -> list[int]:
        """The next ones."""
        while len(self._ready) < count:
            self._draw()
        found, self._ready = self._ready[:count], self._ready[count:]
        self._drawn += count
        return found


class Seeds:
    """Where the random orders of one dataset come from.

    Args:
      seed, seed2: both zero for an order that nobody can tell.
      again: whether each walk over the dataset has an order of its own.

    Attributes:
      walks: how many there were.
    """

    def __init__(self, seed: int, seed2: int, again: bool) -> None:
        self._seeds = known(seed, seed2)
        self._again = again
        self.resume(0)

    def resume(self, walks: int) -> None:
        """Goes on behind so many walks."""
        self.walks, self._own = walks, Words(*self._seeds, 2 * walks)

    def words(self) -> Words:
        """The random words of the next walk: with seeds that two words of the dataset's own are."""
        self.walks += 1
        return Words(*(self._own.take(2) if self._again else self._seeds))

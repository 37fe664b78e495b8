"""Batches that a program makes while a model trains.

Sequence      batches by number, which may come in another order in each round
generator     batches one after the other
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any


class Sequence:
    """Batches that can be asked for by number.

    A class that derives from it gives `__getitem__`, one batch, and `__len__`, how many there are.
    """

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """One batch.

        Args:
          index: its number.
        """
        raise NotImplementedError

    @abstractmethod
    def __len__(self) -> int:
        """How many batches there are."""
        raise NotImplementedError

    def on_epoch_end(self) -> None:
        """Is called when all batches were made."""

    def __iter__(self) -> Iterator[Any]:
        """The batches in order, once."""
        for index in range(len(self)):
            yield self[index]


def rounds(given: Any, shuffle: bool) -> Iterator[Any]:
    """The batches of a generator; or those of a `Sequence`, round after round.

    Args:
      given: what is asked for batches.
      shuffle: another order of the batches of a `Sequence` in each round.
    """
    if not isinstance(given, Sequence):
        yield from given
        return
    numbers = list(range(len(given)))
    while numbers:
        if shuffle:
            random.shuffle(numbers)
        for count, number in enumerate(numbers, 1):
            batch = given[number]
            if count == len(numbers):
                given.on_epoch_end()
            yield batch

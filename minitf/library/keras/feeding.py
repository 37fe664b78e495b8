"""Batches made beside the training: sequences of batches, and workers that go ahead.

Sequence      batches by number: any worker may make any of them
generator     batches one after the other

made_ahead(given, workers=4, ahead=10)     orders ──> workers ──> results, in the order of orders
"""

from __future__ import annotations

import itertools
import random
from abc import abstractmethod
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent import futures  # brings processes along when they are asked for: 10 ms
from typing import Any


class Sequence:
    """Batches that can be asked for by number: safe to be made by many workers.

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


def made_ahead(
    given: Any, workers: int, ahead: int, shuffle: bool = False
) -> Generator[Any, None, None]:
    """The batches of a `Sequence`, round after round, or of a generator, made by threads.

    Closing the iterator ends the workers; what has not begun is given up.

    Args:
      given: what is asked for batches.
      workers: how many threads; one, however many are asked for, makes those of a generator.
      ahead: how many batches may wait.
      shuffle: another order of the batches of a `Sequence` in each round.

    Raises: what `given` raises.
    """
    if not isinstance(given, Sequence):
        yield from _in_order(given, 1, itertools.repeat(()), ahead)
        return
    numbers = list(range(len(given)))
    while numbers:
        if shuffle:
            random.shuffle(numbers)
        orders = [(number,) for number in numbers]
        for count, batch in enumerate(_in_order(given, workers, orders, ahead), 1):
            if count == len(numbers):
                given.on_epoch_end()
            yield batch


def _in_order(given: Any, workers: int, orders: Iterable[tuple], ahead: int) -> Iterator[Any]:
    """The results of orders, each as soon as `ahead` of them are given."""
    pool = futures.ThreadPoolExecutor(workers)
    waiting: deque = deque()
    try:
        for each in orders:
            waiting.append(pool.submit(_make, given, *each))
            if len(waiting) > ahead:
                done, result = waiting.popleft().result()
                if done:
                    break
                yield result
        for future in waiting:
            done, result = future.result()
            if not done:
                yield result
    finally:
        pool.shutdown(cancel_futures=True)


def _make(given: Any, *number: int) -> tuple[bool, Any]:
    """Whether there is nothing more, and a batch: of a number, or the next one."""
    if number:
        return False, given[number[0]]
    try:
        return False, next(given)
    except StopIteration:
        return True, None

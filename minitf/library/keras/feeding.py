"""Batches made beside the training: sequences of batches, and workers that go ahead.

Sequence      batches by number: any worker may make any of them
generator     batches one after the other

made_ahead(given, workers=4, ahead=10)     orders ──> workers ──> results, in the order of orders
"""

from __future__ import annotations

import contextlib
import itertools
import random
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
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
    given: Any, workers: int, ahead: int, processes: bool = False, shuffle: bool = False
) -> Generator[Any, None, None]:
    """The batches of a `Sequence`, round after round, or of a generator, made by workers.

    Closing the iterator ends the workers; what has not begun is given up.

    Args:
      given: what is asked for batches.
      workers: how many; one thread, however many are asked for, makes those of a generator.
      ahead: how many batches may wait.
      processes: workers are processes, each with its own copy, in place of threads: elements of a
        generator come repeatedly.
      shuffle: another order of the batches of a `Sequence` in each round.

    Raises: what `given` raises.
    """
    if not isinstance(given, Sequence):
        with _pool(given, workers if processes else 1, processes) as order:
            yield from _in_order(order, itertools.repeat(()), ahead)
        return
    numbers = list(range(len(given)))
    while numbers:
        if shuffle:
            random.shuffle(numbers)
        with _pool(given, workers, processes) as order:  # new ones: on_epoch_end changes `given`
            orders = [(number,) for number in numbers]
            for count, batch in enumerate(_in_order(order, orders, ahead), 1):
                if count == len(numbers):
                    given.on_epoch_end()
                yield batch


@contextlib.contextmanager
def _pool(given: Any, workers: int, processes: bool) -> Iterator[Callable[..., Any]]:
    """The workers: a function that orders a batch, by its number where it has one."""
    pool: futures.Executor = futures.ThreadPoolExecutor(workers)
    if processes:
        pool = futures.ProcessPoolExecutor(workers, initializer=_keep, initargs=(given,))
    try:
        if processes:
            yield lambda *number: pool.submit(_make_kept, *number)
        else:
            yield lambda *number: pool.submit(_make, given, *number)
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(order: Callable[..., Any], orders: Iterable[tuple], ahead: int) -> Iterator[Any]:
    """The results of orders, each as soon as `ahead` of them are given."""
    waiting: deque = deque()
    for each in orders:
        waiting.append(order(*each))
        if len(waiting) > ahead:
            done, result = waiting.popleft().result()
            if done:  # what other workers have taken from a generator before it ended
                break
            yield result
    for future in waiting:
        done, result = future.result()
        if not done:
            yield result


def _make(given: Any, *number: int) -> tuple[bool, Any]:
    """Whether there is nothing more, and a batch: of a number, or the next one."""
    if number:
        return False, given[number[0]]
    try:
        return False, next(given)
    except StopIteration:
        return True, None


# ---- in a process of a worker -------------------------------------------------------------------

_kept: dict[str, Any] = {}


def _keep(given: Any) -> None:
    _kept["given"] = given


def _make_kept(*number: int) -> tuple[bool, Any]:
    return _make(_kept["given"], *number)

"""Batches made beside the training: sequences of batches, and the workers that fetch ahead.

Sequence      batches by number: any worker may make any of them
generator     batches one after the other

enqueuer.start(workers=4)     a thread hands out orders ──> workers ──> a queue of results in order
for batch in enqueuer.get()   waits for the first of them
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import queue
import random
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent import futures  # brings processes along when they are asked for: 10 ms
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np

_WAIT_S = 0.01


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


def iter_sequence_infinite(seq: Any) -> Iterator[Any]:
    """The elements of a sequence, again and again."""
    while True:
        yield from seq


class SequenceEnqueuer:
    """Fetches elements with workers, ahead of who takes them.

    Args:
      sequence: what is fetched from.
      use_multiprocessing: workers are processes, each with its own copy, in place of threads.
    """

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence, self.use_multiprocessing = sequence, use_multiprocessing
        self.workers = 0
        self.queue: queue.Queue[Future] = queue.Queue()
        self.stop_signal: threading.Event | None = None
        self.run_thread: threading.Thread | None = None

    def is_running(self) -> bool:
        """Whether it was started and not stopped."""
        return self.stop_signal is not None and not self.stop_signal.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts the workers.

        Args:
          workers: how many.
          max_queue_size: how many elements may wait.
        """
        self.workers = max(workers, 1)
        self.queue = queue.Queue(max_queue_size)
        self.stop_signal = threading.Event()
        self.run_thread = threading.Thread(target=self._run, daemon=True)
        self.run_thread.start()

    def stop(self, timeout: float | None = None) -> None:
        """Stops the workers; what waits is given up.

        Args:
          timeout: how long to wait for them at most, in seconds.
        """
        if self.stop_signal is not None and self.run_thread is not None:
            self.stop_signal.set()
            self.run_thread.join(timeout)

    def __del__(self) -> None:
        if self.is_running():
            self.stop()

    @abstractmethod
    def _run(self) -> None:
        """What the thread does: hands out orders until it is stopped."""

    @contextlib.contextmanager
    def _pool(self, setup: Callable[..., None], *args: Any) -> Iterator[Executor]:
        """The workers; processes are set up first. In the end what has not begun is given up."""
        pool: Executor = futures.ThreadPoolExecutor(self.workers)
        if self.use_multiprocessing:
            given = (self.sequence, *args)
            pool = futures.ProcessPoolExecutor(self.workers, initializer=setup, initargs=given)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)

    def _order(self, pool: Executor, work: Callable[..., Any], *args: Any) -> None:
        """Hands out one order, as soon as there is room for its result."""
        future = pool.submit(work, *args)
        while self.is_running():
            with contextlib.suppress(queue.Full):
                return self.queue.put(future, timeout=_WAIT_S)
        future.cancel()

    def get(self) -> Iterator[Any]:
        """The elements in order, until it is stopped or the source ends.

        Raises: what the source raises.
        """
        while self.is_running():
            try:
                future = self.queue.get(timeout=_WAIT_S)
            except queue.Empty:
                continue
            try:
                element = future.result()
            except StopIteration:
                yield from self._rest()
                return
            except Exception:
                self.stop()
                raise
            self.queue.task_done()
            if element is not None:
                yield element

    def _rest(self) -> Iterator[Any]:
        """What other workers have taken from a generator before it ended."""
        self.stop()
        while not self.queue.empty():
            with contextlib.suppress(StopIteration, futures.CancelledError):
                yield self.queue.get().result()


class OrderedEnqueuer(SequenceEnqueuer):
    """Fetches the batches of a `Sequence`, in their order, round after round.

    Args:
      sequence: a `Sequence`.
      use_multiprocessing: workers are processes, each with its own copy.
      shuffle: another order of batches in each round.
    """

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, shuffle: bool = False
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle

    def _run(self) -> None:
        order = list(range(len(self.sequence)))
        work = _item_here if self.use_multiprocessing else self.sequence.__getitem__
        while self.is_running():
            if self.shuffle:
                random.shuffle(order)
            with self._pool(
                _keep
            ) as pool:  # new processes, since on_epoch_end changes the sequence
                for index in itertools.takewhile(lambda _: self.is_running(), order):
                    self._order(pool, work, index)
                while self.is_running() and self.queue.unfinished_tasks:
                    time.sleep(_WAIT_S)
            if self.is_running():
                self.sequence.on_epoch_end()


class GeneratorEnqueuer(SequenceEnqueuer):
    """Fetches what a generator yields; one thread asks it, so the order is its own.

    Args:
      generator: the generator.
      use_multiprocessing: workers are processes, each with its own copy: elements come repeatedly.
      random_seed: NumPy's seed in each process, to which its number is added.
    """

    def __init__(
        self, generator: Any, use_multiprocessing: bool = False, random_seed: int | None = None
    ) -> None:
        super().__init__(generator, use_multiprocessing)
        self.random_seed = random_seed

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts the workers; one thread, however many are asked for."""
        super().start(workers if self.use_multiprocessing else 1, max_queue_size)

    def _run(self) -> None:
        work = _next_here if self.use_multiprocessing else functools.partial(next, self.sequence)
        with self._pool(_keep, self.random_seed) as pool:
            while self.is_running():
                self._order(pool, work)


# ---- in a process of a worker -------------------------------------------------------------------

_kept: dict[str, Any] = {}


def _keep(sequence: Any, random_seed: int | None = None) -> None:
    _kept["sequence"] = sequence
    if random_seed is not None:
        np.random.seed(random_seed + threading.get_native_id())  # noqa: NPY002


def _item_here(index: int) -> Any:
    return _kept["sequence"][index]


def _next_here() -> Any:
    return next(_kept["sequence"])

"""Where the batches of an epoch come from, each a flat list of arrays: x, then y, then weights.

    Arrays       arrays in memory, cut into batches; `fit` counts samples
    Tensors      tensors of a graph, as those of an iterator: one run gives a batch
    Generated    a generator, a `Sequence` or an eager dataset, behind workers

All but the first count steps. An epoch ends after `steps` of them, or when there is nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import errors, logging
from minitf.library.keras.backend import session as backend
from minitf.library.keras.utils import feeding

Batch = tuple[list[Any], int]  # the values, and how many samples are reported

_OUT_OF_DATA = (
    "Your {what} ran out of data; interrupting training. Make sure that your {what} can generate "
    "at least `{name} * epochs` batches (in this case, {batches} batches). You may need to use the "
    "repeat() function when building your dataset."
)


class Source:
    """Batches, epoch by epoch.

    Attributes:
      samples: how many samples there are, where that is counted; else None.
      steps: how many batches an epoch has; None where that is not known yet.
      weighted: for each trained output, whether its examples have weights.
      ended: whether there is nothing more, though another epoch was wanted.
    """

    samples: int | None = None
    steps: int | None = None
    weighted: Sequence[bool] = ()
    ended = False

    def batches(self) -> Iterator[Batch]:
        """Those of one epoch."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends workers."""


class Arrays(Source):
    """Arrays, whose first axis is cut into batches.

    Args:
      arrays: x, y and weights; all have as many rows.
      weighted: see `Source`.
      batch_size: how many samples a batch has.
      shuffle: True for another order in each epoch, "batch" for another order of batches.
    """

    def __init__(
        self, arrays: Sequence[Any], weighted: Sequence[bool], batch_size: int, shuffle: Any
    ) -> None:
        self.arrays, self.weighted = list(arrays), weighted
        self.batch_size, self.shuffle = batch_size, shuffle
        self.samples = int(arrays[0].shape[0])
        self.shuffled: Any = np.random.shuffle  # of a generator that all workers have alike, if any

    def batches(self) -> Iterator[Batch]:
        """The batches, in the order of this epoch."""
        count, size = self.samples or 0, self.batch_size
        order: Any = None
        if self.shuffle == "batch":
            order = np.arange(count)
            blocks = order[: count // size * size].reshape(-1, size)
            self.shuffled(blocks)
        elif self.shuffle:
            order = np.arange(count)
            self.shuffled(order)
        for start in range(0, count, size):
            stop = min(start + size, count)
            if order is None:
                values = [a[start:stop] for a in self.arrays]
            else:
                chosen = order[start:stop]
                try:
                    values = [a[chosen] for a in self.arrays]
                except TypeError:  # h5py gives rows in their order alone
                    raise TypeError(
                        "TypeError while preparing batch. If using HDF5 input data, pass "
                        'shuffle="batch".'
                    ) from None
            values = [v.toarray() if hasattr(v, "toarray") else v for v in values]
            yield values, stop - start


class _Stepwise(Source):
    """Batches that come one by one."""

    def __init__(
        self, steps: int | None, name: str, epochs: int, what: str, known: int | None = None
    ) -> None:
        self._name, self._epochs, self._what = name, epochs, what
        self._told = steps is not None
        self.steps = steps if self._told else known
        self._begun = False

    def _begins_anew(self) -> bool:
        """Whether an epoch starts from the first batch: where its steps were told it goes on."""
        begun, self._begun = self._begun, True
        return not (begun and self._told and self._name == "steps_per_epoch")

    def _start(self) -> None:
        """Before each epoch."""

    def _next(self) -> list[Any]:
        raise NotImplementedError

    def _report(self, values: list[Any]) -> int:
        return 1

    def batches(self) -> Iterator[Batch]:
        """So many as steps were asked for, or as there are."""
        self._start()
        step = 0
        while self.steps is None or step < self.steps:
            try:
                values = self._next()
            except (StopIteration, errors.OutOfRangeError):
                if self._told:
                    self.ended = True
                    text = _OUT_OF_DATA.format(
                        what=self._what, name=self._name, batches=(self.steps or 0) * self._epochs
                    )
                    logging.warning(text)
                else:
                    self.steps = step
                return
            step += 1
            yield values, self._report(values)


class Tensors(_Stepwise):
    """Tensors of a graph that have other values in each run.

    Args:
      tensors: x, y and weights.
      initializer: what starts them anew, before each epoch; None: nothing does.
    """

    def __init__(
        self, tensors: Sequence[Any], weighted: Sequence[bool], initializer: Any, *rest: Any
    ) -> None:
        super().__init__(*rest)
        self._tensors, self.weighted, self._initializer = list(tensors), weighted, initializer

    def _start(self) -> None:
        self._session = backend.get_session()
        if self._initializer is not None and self._begins_anew():
            self._session.run(self._initializer)

    def _next(self) -> list[Any]:
        return self._session.run(self._tensors)


class Generated(_Stepwise):
    """What a Python iterator gives, made into arrays by a function.

    Args:
      begin: makes the iterator; called again for an epoch when there is no number of steps.
      arrange: from an element to the values of a batch, and which outputs have weights.
      counts: whether the samples of the batches are counted.
    """

    def __init__(
        self,
        begin: Callable[[], Any],
        arrange: Callable[[Any], tuple[list[Any], Sequence[bool]]],
        *rest: Any,
    ) -> None:
        super().__init__(*rest)
        self._begin, self._arrange = begin, arrange
        self._iterator: Any = None
        self._enqueuer: Any = None

    @classmethod
    def of(
        cls, given: Any, arrange: Any, workers: tuple[int, int, bool], shuffle: bool, *rest: Any
    ) -> Generated:
        """The batches of a generator or a `Sequence`, made by workers.

        Args:
          given: it.
          arrange: see the class.
          workers: how many, how far they go ahead, whether they are processes.
          shuffle: whether a `Sequence` has another order in each epoch.
        """
        is_sequence = isinstance(given, feeding.Sequence)
        number, ahead, processes = workers
        enqueuer: Any = None
        if number > 0 and is_sequence:
            enqueuer = feeding.OrderedEnqueuer(given, processes, shuffle)
        elif number > 0:
            enqueuer = feeding.GeneratorEnqueuer(given, processes)
        if enqueuer is not None:
            enqueuer.start(number, ahead)
            iterator = enqueuer.get()
        else:
            iterator = feeding.iter_sequence_infinite(given) if is_sequence else given
        made = cls(lambda: iterator, arrange, *rest)
        made._enqueuer = enqueuer
        return made

    def _start(self) -> None:
        if self._begins_anew():
            self._iterator = self._begin()

    def _next(self) -> list[Any]:
        values, self.weighted = self._arrange(next(self._iterator))
        return values

    def _report(self, values: list[Any]) -> int:
        return int(values[0].shape[0])

    def close(self) -> None:
        """Ends the workers."""
        if self._enqueuer is not None:
            self._enqueuer.stop()

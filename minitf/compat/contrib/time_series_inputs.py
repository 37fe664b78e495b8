"""`tf.contrib.timeseries`: series from arrays and files, in windows.

    NumpyReader, CSVReader ──> RandomWindowInputFn     [batch, window] drawn anew each step
                           └─> WholeDatasetInputFn     [1, length]
    what `evaluate` gave   ──> predict_continuation_input_fn

All give features by name: "times" [batch, window], "values" [batch, window, n], and others.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.nest import map_structure
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.random import random_uniform
from minitf.library.formats.file_io import GFile
from minitf.library.input.queues.producers import limit_epochs


class State:
    """Where a model starts: under this name as a tuple, or as numbered parts."""

    STATE_TUPLE = "start_tuple"
    STATE_PREFIX = "model_state"


class Times:
    """The times, whole numbers that grow."""

    TIMES = "times"


class TrainEvalFeatures(Times):
    """What a model trains on."""

    VALUES = "values"


class FilteringFeatures(TrainEvalFeatures, State):
    """What a model is evaluated on."""


class PredictionFeatures(Times, State):
    """From what a model predicts."""


class FilteringResults(Times, State):
    """What `evaluate` gives, beside what the model makes."""


class PredictionResults(Times):
    """What `predict` gives, beside what the model makes."""


class SavedModelLabels:
    """The names of the signatures of an exported model."""

    PREDICT = "serving_default"
    FILTER = "filter"


# ---- readers -------------------------------------------------------------------------------


class TimeSeriesReader(ABC):
    """One series, as arrays by name."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """Times [length], values [length, n] and other features [length, ...]."""

    def read_full(self) -> dict[str, Any]:
        """The whole series as tensors."""
        return {name: constant(array) for name, array in self.arrays().items()}


class NumpyReader(TimeSeriesReader):
    """A series from arrays.

    Args:
      data: by name: "times" [length], "values" [length] or [length, n], others [length, ...]; an
        axis of batches of size 1 may come first.
      read_num_records_hint: accepted.
    Raises:
      ValueError: when there are no times, or features are of another length.
    """

    def __init__(self, data: Mapping[str, Any], read_num_records_hint: int = 4096) -> None:
        found = {name: np.asarray(array) for name, array in data.items()}
        if Times.TIMES not in found:
            raise ValueError("Reader data must include a 'times' feature")
        if found[Times.TIMES].ndim > 1:
            if len(found[Times.TIMES]) != 1:
                raise ValueError("Only one series is read; its times have several batches")
            found = {name: array[0] for name, array in found.items()}
        for name, array in found.items():
            if len(array) != len(found[Times.TIMES]):
                raise ValueError(f"Feature '{name}' is not as long as 'times'")
        self._data = found

    def arrays(self) -> dict[str, np.ndarray]:
        """The series."""
        made = dict(self._data)
        values = made.get(TrainEvalFeatures.VALUES)
        if values is not None and values.ndim == 1:
            made[TrainEvalFeatures.VALUES] = values[:, None]
        return made


class CSVReader(NumpyReader):
    """A series from files with a row a time.

    Args:
      filenames: a file, or several, one after the other.
      column_names: what each column is; columns that share a name become one feature.
      column_dtypes: the type of each column; float32 by default, and int64 for times.
      skip_header_lines: how many lines come before the rows.
      read_num_records_hint: accepted.
    Raises:
      ValueError: when no column has the times.
    """

    def __init__(
        self, filenames: Any, column_names: Sequence[str] = (Times.TIMES, TrainEvalFeatures.VALUES),
        column_dtypes: Sequence[Any] | None = None, skip_header_lines: int | None = None,
        read_num_records_hint: int = 4096,
    ) -> None:  # fmt: skip
        if Times.TIMES not in column_names:
            raise ValueError(f"'{Times.TIMES}' is a required column.")
        self._files = [filenames] if isinstance(filenames, str | bytes) else list(filenames)
        self._names, self._skipped = list(column_names), skip_header_lines or 0
        kinds = column_dtypes or [
            dtypes.int64 if name == Times.TIMES else dtypes.float32 for name in column_names
        ]
        self._types = [dtypes.as_dtype(kind) for kind in kinds]

    def _rows(self) -> Iterator[list[str]]:
        for path in self._files:
            with GFile(path) as file:
                yield from list(csv.reader(file))[self._skipped :]

    def arrays(self) -> dict[str, np.ndarray]:
        """The series, read now."""
        columns: dict[str, list[np.ndarray]] = {}
        table = list(zip(*(row for row in self._rows() if row), strict=True))
        for name, kind, cells in zip(self._names, self._types, table, strict=True):
            texts = np.array(cells, object)
            whole = kind.is_integer and kind.numpy_dtype
            column = texts.astype(float).astype(whole) if whole else texts.astype(kind.numpy_dtype)
            columns.setdefault(name, []).append(column)
        made = {
            name: parts[0] if len(parts) == 1 else np.stack(parts, 1)
            for name, parts in columns.items()
        }
        NumpyReader.__init__(self, made)
        return super().arrays()


# ---- windows -------------------------------------------------------------------------------


class TimeSeriesInputFn(ABC):
    """An `input_fn` of an estimator."""

    @abstractmethod
    def create_batch(self) -> tuple[dict[str, Any], None]:
        """Features, and no labels."""

    def __call__(self) -> tuple[dict[str, Any], None]:
        """Features, and no labels."""
        return self.create_batch()


class WholeDatasetInputFn(TimeSeriesInputFn):
    """The whole series as a batch of one."""

    def __init__(self, time_series_reader: TimeSeriesReader) -> None:
        self._reader = time_series_reader

    def create_batch(self) -> tuple[dict[str, Any], None]:
        """Features of shape [1, length, ...]."""
        return {name: constant(a[None]) for name, a in self._reader.arrays().items()}, None


class RandomWindowInputFn(TimeSeriesInputFn):
    """Windows of the series, each step others, that begin anywhere alike.

    Args:
      time_series_reader: the series.
      window_size: how long a window is.
      batch_size: how many there are in a step.
      shuffle_seed: of the draws.

    The arguments between them are of the queues in which TensorFlow mixes windows, and accepted.
    """

    def __init__(
        self, time_series_reader: TimeSeriesReader, window_size: int, batch_size: int,
        queue_capacity_multiplier: int = 1000, shuffle_min_after_dequeue_multiplier: int = 2,
        discard_out_of_order: bool = True, discard_consecutive_batches_limit: int = 1000,
        jitter: bool = True, num_threads: int = 2, shuffle_seed: int | None = None,
    ) -> None:  # fmt: skip
        self._reader, self._window, self._batch = time_series_reader, window_size, batch_size
        self._seed = shuffle_seed

    def create_batch(self) -> tuple[dict[str, Any], None]:
        """Features of shape [batch, window, ...].

        Raises:
          ValueError: when the series is shorter than a window.
        """
        arrays = self._reader.arrays()
        if self._window is None or self._batch is None:
            raise ValueError("RandomWindowInputFn requires window_size and batch_size")
        last = len(arrays[Times.TIMES]) - self._window
        if last < 0:
            raise ValueError(
                f"The window size ({self._window}) is larger than the series, which has "
                f"{last + self._window} times"
            )
        starts = random_uniform([self._batch, 1], 0, last + 1, dtypes.int32, self._seed)
        places = starts + number_range(self._window)
        return {name: gather(constant(array), places) for name, array in arrays.items()}, None


# ---- going on ------------------------------------------------------------------------------


def continued_times(evaluation: Mapping[str, Any], steps: int | None, times: Any) -> np.ndarray:
    """The times after those of an evaluation, [batch, n]: so many, or those given.

    Raises:
      ValueError: when not just one of `steps` and `times` is given, or times do not come after.
    """
    seen = np.asarray(evaluation[Times.TIMES])
    if (steps is None) == (times is None):
        which = "One of" if steps is None else "Only one of"
        raise ValueError(
            f"{which} `steps` and `times` {'must' if steps is None else 'may'} be specified."
        )
    if steps is not None:
        asked = seen[:, -1:] + 1 + np.arange(steps)[None]
    else:
        asked = np.atleast_2d(times)
        if len(asked) != len(seen):
            raise ValueError(
                "`times` must have a batch dimension matching the previous model output (got a "
                f"batch dimension of {len(asked)} for `times` and {len(seen)} for the previous "
                "model output)."
            )
        if not np.all(seen[:, -1] < asked[:, 0]):
            raise ValueError(
                "Prediction times must be after the corresponding previous model output."
            )
    return asked


def predict_continuation_input_fn(
    evaluation: Mapping[str, Any], steps: int | None = None, times: Any = None,
    exogenous_features: Mapping[str, Any] | None = None,
) -> Callable[[], tuple[dict[str, Any], None]]:  # fmt: skip
    """An `input_fn` to predict what comes after what was evaluated.

    Args:
      evaluation: what `evaluate` gave.
      steps: how many times after it; or
      times: [batch, n] those times.
      exogenous_features: [batch, n, ...] by name, of the model's columns.
    Raises:
      ValueError: when not just one of `steps` and `times` is given, or times do not come after.
    """
    asked = continued_times(evaluation, steps, times)
    features = {
        State.STATE_TUPLE: evaluation[State.STATE_TUPLE], Times.TIMES: asked,
        **(exogenous_features or {}),
    }  # fmt: skip

    def input_fn() -> tuple[dict[str, Any], None]:
        def once(value: Any) -> Any:
            return limit_epochs(convert_to_tensor(value), num_epochs=1, name="predict_limit")

        return {name: map_structure(once, value) for name, value in features.items()}, None

    return input_fn

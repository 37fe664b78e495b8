"""How many elements a dataset has, where that can be known without walking over it.

The number follows from that of the datasets it is made of: a batch of 32 has 1/32 as many;
after `filter` nobody knows, and TensorFlow 1.15 says so after `map`, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.input.data.dataset import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from minitf.library.input.data.each import Shard, Skip, Take
from minitf.library.input.data.iterator_ops import Range, some_numbers
from minitf.library.input.data.memory import Slices
from minitf.library.input.data.nested import Zip
from minitf.library.input.data.order import (
    Batch,
    Cache,
    Concatenate,
    Elements,
    FileCache,
    PaddedBatch,
    Repeat,
    Shuffle,
    Window,
)
from minitf.library.input.data.parallel import CountedMap, prefetched, with_options
from minitf.library.input.data.runtime import Source

_INFINITE = float("inf")


def _batches(source: Source, size: int, *rest: Any) -> float:
    drops = rest[0] is True
    return _every(size, _count(source) + (0 if drops else size - 1))


def _windows(source: Source, size: int, shift: int, stride: int, drops: bool) -> float:
    left = _count(source) - ((size - 1) * stride + 1 if drops else 1)
    return _every(shift, left) + 1 if left >= 0 else left * 0


def _every(step: int, count: float) -> float:
    return count if count == _INFINITE else count // step


#: From the parts of a source, by its cursor, to how many elements it has; inf and nan for those
#: that never end and those that nobody knows.
_RULES: dict[Any, Callable[..., float]] = {
    **dict.fromkeys(
        (CountedMap, Shuffle, prefetched, with_options, Cache, FileCache),
        lambda source, *rest: _count(source),
    ),
    Take: lambda source, count: _count(source) if count < 0 else min(_count(source), count),
    Skip: lambda source, count: 0 if count < 0 else max(_count(source) - count, 0),
    Shard: lambda source, count, place: _every(count, _count(source) + count - 1 - place),
    Range: lambda start, stop, step: len(range(start, stop, step)),
    Slices: lambda components, count: count,
    Elements: len,
    Zip: lambda *sources: min(map(_count, sources)),
    Concatenate: lambda *sources: sum(map(_count, sources)),
    Repeat: lambda source, count: _INFINITE if count < 0 else _count(source) * count,
    **dict.fromkeys((Batch, PaddedBatch), _batches),
    Window: _windows,
}


def _count(source: Source) -> float:
    """The number; nan where it is not known."""
    rule = _RULES.get(source.cursor)
    return float("nan") if rule is None else rule(*source.parts)


@op(
    "ExperimentalDatasetCardinality",
    "input_dataset: variant -> cardinality: int64",
    host_only=True,
    program=lambda folder: [(dataset_cardinality_op(some_numbers()), np.int64(5))],
)
def dataset_cardinality_op(xp: Any, input_dataset: Source) -> Any:
    """Gives how many elements a dataset has; -1: it never ends, -2: nobody knows."""
    count = _count(input_dataset)
    if count == _INFINITE:
        return np.int64(INFINITE_CARDINALITY)
    return np.int64(UNKNOWN_CARDINALITY if np.isnan(count) else count)


dataset_cardinality_op.shape(scalar_shape)


def cardinality(dataset: Dataset) -> Tensor:
    """How many elements a dataset has: int64, or one of two constants.

    Returns: the number; `INFINITE_CARDINALITY` when it never ends, `UNKNOWN_CARDINALITY` when that
      cannot be known without walking over it.
    Example:
      >>> data = tf.data.Dataset.range(10).batch(4)
      >>> sess.run(tf.data.experimental.cardinality(data))
      3
    """
    return dataset_cardinality_op(dataset._variant_tensor)

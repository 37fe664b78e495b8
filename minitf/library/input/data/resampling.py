"""`rejection_resample`: elements left out so that classes come as wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import fill, one_hot
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import reshape, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_max, reduce_min, reduce_sum
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.experimental import (
    Transformation,
    sample_from_datasets,
    scan,
    unbatch,
)

_SEEN_AT_FIRST = 10  # of each class, when nobody says how often it comes
_COUNTED_AT_ONCE = 32  # elements between two estimates


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """Elements chosen so that their classes come in other proportions.

    As many as the proportions allow are drawn from the dataset as it is; the others from a second
    pass over it, which leaves out elements, by how much too often their class comes. The first of
    the two to end is the end, since what the other still has comes in its own proportions.

    Args:
      class_func: from an element to its class, an int32 scalar.
      target_dist: how often each class is wanted; floats that sum to 1.
      initial_dist: how often each comes; counted on the way when None.
      seed: of the draws.
    Returns: a transformation; its elements are pairs of the class and the element.
    """
    wanted = convert_to_tensor(target_dist, name="target_dist")

    def transform(dataset: Dataset) -> Dataset:
        def pair(*element: Any) -> tuple:
            kind = cast(class_func(*element), dtypes.int32)
            return kind, element[0] if len(element) == 1 else element

        def accepted(chances: tuple, pair: tuple) -> Tensor:
            chance = gather(chances[0], pair[0])
            return less(random_uniform([], seed=seed, dtype=chance.dtype), chance)

        pairs = dataset.map(pair)
        if initial_dist is not None:
            comes = Dataset.from_tensors(
                convert_to_tensor(initial_dist, wanted.dtype.base_dtype)
            ).repeat()
        else:
            first = fill(wanted.shape.as_list(), np.int64(_SEEN_AT_FIRST))
            classes = pairs.map(lambda kind, element: kind).batch(_COUNTED_AT_ONCE)
            comes = classes.apply(scan(first, lambda seen, kinds: _counted(seen, kinds, wanted)))
            comes = comes.apply(unbatch())
        chances = comes.map(lambda comes: _chances(comes, wanted))
        filtered = Dataset.zip((chances, pairs)).filter(accepted).map(lambda chances, pair: pair)
        weights = chances.map(lambda kept, whole: stack([whole, 1 - whole]))
        return sample_from_datasets([pairs, filtered], weights, seed, stop_on_empty_dataset=True)

    return transform


def _chances(comes: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """For each class the chance to be kept, and the chance to take elements as they come."""
    ratio = wanted / (comes + np.finfo(comes.dtype.as_numpy_dtype).tiny)
    whole = reduce_min(ratio)
    return (ratio - whole) / (reduce_max(ratio) - whole), whole


def _counted(seen: Tensor, kinds: Tensor, wanted: Tensor) -> tuple:
    """The counts after a batch of classes, and the shares they make, a row for each element."""
    count = wanted.shape.as_list()[0]
    seen = seen + reduce_sum(one_hot(kinds, count, dtype=dtypes.int64), 0)
    comes = cast(seen, wanted.dtype) / cast(reduce_sum(seen), wanted.dtype)
    return seen, tile(reshape(comes, [1, count]), [_COUNTED_AT_ONCE, 1])

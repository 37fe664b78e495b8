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
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_max, reduce_sum
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.experimental import Transformation, scan

_SEEN_AT_FIRST = 10  # of each class, when nobody says how often it comes


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """Elements chosen so that their classes come in other proportions.

    In one pass elements are left out, by how much too often their class comes.

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

        pairs = dataset.map(pair)
        if initial_dist is not None:
            kept = _chances(convert_to_tensor(initial_dist, wanted.dtype.base_dtype), wanted)
            judged = pairs.map(lambda kind, element: (gather(kept, kind), kind, element))
        else:
            judged = pairs.apply(
                scan(_first_counts(wanted), lambda now, pair: _counted(now, pair, wanted))
            )

        def accepted(chance: Tensor, kind: Tensor, element: Any) -> Tensor:
            return less(random_uniform([], seed=seed, dtype=chance.dtype), chance)

        return judged.filter(accepted).map(lambda chance, kind, element: (kind, element))

    return transform


def _chances(comes: Tensor, wanted: Tensor) -> Tensor:
    """For each class the chance to be kept: the ratio of wanted to coming, over the largest one."""
    ratio = wanted / (comes + np.finfo(comes.dtype.as_numpy_dtype).tiny)
    return ratio / reduce_max(ratio)


def _first_counts(wanted: Tensor) -> Tensor:
    return fill(wanted.shape.as_list(), np.int64(_SEEN_AT_FIRST))


def _counted(seen: Tensor, pair: tuple, wanted: Tensor) -> tuple:
    kind, element = pair
    seen = seen + one_hot(kind, wanted.shape.as_list()[0], dtype=dtypes.int64)
    comes = cast(seen, wanted.dtype) / cast(reduce_sum(seen), wanted.dtype)
    return seen, (gather(_chances(comes, wanted), kind), kind, element)

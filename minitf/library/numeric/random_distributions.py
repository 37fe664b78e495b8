"""Random tensors beyond the core's: gamma, Poisson, crops at random places.

Each node draws from a stream of its own, as in `minitf/core/ops/random.py`.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.control import with_dependencies
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import floormod, subtract
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_all


def random_crop(
    value: TensorLike, size: Any, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A block of the given size from a random place of `value`.

    Args:
      value: any tensor.
      size: [rank] the size of the block.
      seed: makes the sequence repeatable.
      name: the name of the scope.
    Raises:
      InvalidArgumentError: when it runs and `value` is smaller.
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        whole = shape_of(value)
        said = ["Need value.shape >= size, got ", whole, size]
        fits = Assert(reduce_all(greater_equal(whole, size)), said, summarize=1000)
        whole = with_dependencies([fits], whole)
        limit = subtract(whole, size) + 1
        drawn = random_uniform(shape_of(whole), 0, dtypes.int32.max, dtypes.int32, seed)
        return slice_of(value, floormod(drawn, limit), size, name=scope)

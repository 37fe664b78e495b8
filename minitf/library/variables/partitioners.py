"""Partitioners: into how many parts a variable is cut, from its shape and type.

>>> tf.fixed_size_partitioner(3)(shape=tf.TensorShape([10, 4]), dtype=tf.float32)
[3, 1]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes

Partitioner = Callable[..., list[int]]


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """Makes at most `max_partitions` parts along `axis`, none below a size.

    Args:
      max_partitions: the most parts; one part is made in any case.
      axis: the axis to cut.
      min_slice_size: the smallest part, in bytes.
      bytes_per_string_element: what a string counts.
    Returns: a partitioner.
    Raises:
      ValueError: when a number is not positive.
    """
    _positive(min_slice_size=min_slice_size, bytes_per_string_element=bytes_per_string_element)

    def count(row: int, rows: int) -> int:
        return max(1, min(rows, max_partitions, -(-row * rows // min_slice_size)))

    return _along(axis, bytes_per_string_element, count)


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Makes `num_shards` parts along `axis`, or as many as there are rows."""

    def partitioner(shape: Any, **_: Any) -> list[int]:
        parts = [1] * len(shape)
        parts[axis] = min(num_shards, int(shape[axis]))
        return parts

    return partitioner


def _positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} must be positive: {number}")


def _along(axis: int, string_bytes: int, count: Callable[[int, int], int]) -> Partitioner:
    """The partitioner that makes `count(bytes of a row, rows)` parts along `axis`."""

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        if axis >= shape.ndims:
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        dtype = dtypes.as_dtype(dtype)
        size = string_bytes if dtype.base_dtype == dtypes.string else dtype.size
        rows = int(shape[axis])
        parts = [1] * shape.ndims
        parts[axis] = count(size * shape.num_elements() // rows if rows else 0, rows)
        return parts

    return partitioner

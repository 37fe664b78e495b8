"""Partitioners: into how many parts a variable is cut, from its shape and type.

>>> tf.fixed_size_partitioner(3)(shape=tf.TensorShape([10, 4]), dtype=tf.float32)
[3, 1]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.variables.variable_scope import _variable_store, variable_scope

Partitioner = Callable[..., list[int]]


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """Makes as many parts along `axis` as keep each below a size.

    Args:
      max_shard_bytes: the size, at least 1.
      axis: the axis to cut.
      bytes_per_string_element: what a string counts.
      max_shards: at most so many parts.
    Returns: a partitioner.
    Raises:
      ValueError: when a number is not positive.
    """
    _positive(max_shard_bytes=max_shard_bytes, bytes_per_string_element=bytes_per_string_element)
    if max_shards is not None:
        _positive(max_shards=max_shards)

    def count(row: int, rows: int) -> int:
        if not row or not rows:
            return 1
        parts = min(rows, -(-rows // max(1, max_shard_bytes // row)))
        return parts if max_shards is None else min(parts, max_shards)

    return _along(axis, bytes_per_string_element, count)


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


def create_partitioned_variables(
    shape: Any,
    slicing: Sequence[int],
    initializer: Any,
    dtype: Any = dtypes.float32,
    trainable: bool = True,
    collections: Sequence[str] | None = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """Makes a variable in parts; the older way to say `get_variable(partitioner=...)`.

    Args:
      shape: the sizes of the whole.
      slicing: the number of parts along each axis; only one may be above 1.
      initializer: an initializer, or the value of the whole.
      dtype: the element type; that of a value counts more.
      trainable, collections, reuse: see `tf.get_variable`.
      name: "PartitionedVariable" by default; made unique.
    Returns: the parts.
    Raises:
      ValueError: when shape and slicing do not fit.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a new Partitioned Variable must have the length: "
            f"shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A new Partitioned Variable must have rank at least 1: shape: {shape}")
    from_value = not callable(initializer)
    value = convert_to_tensor(initializer) if from_value else initializer
    if from_value and not as_shape(shape).is_compatible_with(value.shape):
        raise ValueError(f"Initial value of shape {value.shape} for a variable of shape {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope, name_scope(None):
        variable = _variable_store().get_variable(
            scope.name,
            shape=None if from_value else shape,
            dtype=value.dtype.base_dtype if from_value else dtype,
            initializer=value,
            regularizer=scope.regularizer,
            reuse=scope.reuse,
            trainable=trainable,
            collections=collections,
            partitioner=lambda **_: list(slicing),
        )
    return list(variable)


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

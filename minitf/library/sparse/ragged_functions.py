"""`tf.ragged`: ragged tensors of nested lists and of ranges, functions mapped over their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array_filling import zeros
from minitf.library.sparse.ragged import RaggedTensor


def _depth(pylist: Any) -> int:
    if not isinstance(pylist, (list, tuple, np.ndarray)):
        return 0
    return 1 + max((_depth(item) for item in pylist), default=0)


def _scalars(pylist: Any) -> bool:
    """Whether there are any."""
    return not isinstance(pylist, (list, tuple, np.ndarray)) or any(map(_scalars, pylist))


def _check_depth(pylist: Any, depth: int) -> None:
    """Raises when scalars stand at another depth than `depth`."""
    if isinstance(pylist, (list, tuple, np.ndarray)):
        for item in pylist:
            _check_depth(item, depth - 1)
    elif depth:
        raise ValueError("all scalar values must have the same nesting depth")


def _flattened(pylist: Any, ragged_rank: int) -> tuple[list, list[list[int]]]:
    """The values of nested lists, and the splits of each ragged axis."""
    nested, level = [], list(pylist)
    for _ in range(ragged_rank):
        nested.append([0, *np.cumsum([len(item) for item in level], dtype=int).tolist()])
        level = [item for row in level for item in row]
    return level, nested


def ragged_constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """A constant `RaggedTensor` of nested lists.

    Args:
      pylist: nested lists; all numbers at one depth.
      dtype: the type of the elements.
      ragged_rank: how many axes are ragged; by default all but the first, less `inner_shape`.
      inner_shape: the shape of one innermost value.
      name: the name of the scope.
      row_splits_dtype: int64 or int32.
    """
    with name_scope(name, "RaggedConstant"):
        depth = _depth(pylist)
        if depth == 0:
            if ragged_rank:
                raise ValueError(
                    f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}"
                )
            return constant(pylist, dtype)
        _check_depth(pylist, depth)
        if ragged_rank is not None and ragged_rank >= depth and _scalars(pylist):
            raise ValueError(
                f"pylist has scalar values depth {depth}, but "
                f"ragged_rank={ragged_rank} requires scalar value depth greater than {ragged_rank}"
            )
        if ragged_rank is None:
            ragged_rank = depth - 1 - (0 if inner_shape is None else len(inner_shape))
        level, nested = _flattened(pylist, max(0, ragged_rank))
        kind = dtypes.float32 if dtype is None and not level else dtype
        shape = None if inner_shape is None else [len(level), *inner_shape]
        values = constant(level, kind, shape) if level else zeros(shape or [0], kind)
        splits_kind = dtypes.as_dtype(row_splits_dtype)
        return RaggedTensor.from_nested_row_splits(
            values, [constant(splits, splits_kind) for splits in nested]
        )


def map_flat_values(op: Callable, *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the innermost values of ragged tensors that have the same rows."""
    ragged = [a for a in (*args, *kwargs.values()) if isinstance(a, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    flat = [a.flat_values if isinstance(a, RaggedTensor) else a for a in args]
    named = {k: a.flat_values if isinstance(a, RaggedTensor) else a for k, a in kwargs.items()}
    return ragged[0].with_flat_values(op(*flat, **named))

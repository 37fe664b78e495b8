"""`tensorflow.python.ops.inplace_ops`: rows of a tensor replaced, or added to.

    inplace_update(x, i, v)         x with v in place of its rows i

TensorFlow's `alias_` functions may write over `x`; here a tensor never changes, and these give
what they do there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros, zeros_like
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.math import floormod
from minitf.core.ops.scatter import tensor_scatter_add, tensor_scatter_sub, tensor_scatter_update


def _of_rows(scatter: Callable, x: Any, i: Any, v: Any) -> Tensor:
    x = convert_to_tensor(x)
    v = convert_to_tensor(v, x.dtype)
    if i is None:  # all of them, also of a scalar
        v.shape.assert_is_compatible_with(x.shape)
        x, v = expand_dims(x, 0), expand_dims(v, 0)
        return scatter(x, [[0]], v)[0]
    rows = floormod(convert_to_tensor(i), shape_of(x)[0])  # TensorFlow wraps them around
    return scatter(x, expand_dims(rows, -1), v)


def inplace_update(x: Any, i: Any, v: Any) -> Tensor:
    """`x` with the rows `i` replaced.

    Args:
      x: [n, ...] of any type.
      i: a row, a vector of rows, or None for all of `x`; n is row 0 again, and -1 the last.
      v: what stands there: one row, as many as `i` has, or as many as `x` has.
    Returns: [n, ...]; of a row that is named twice, the last value.
    Raises:
      InvalidArgumentError, ValueError: when `v` has another shape.
    """
    return _of_rows(tensor_scatter_update, x, i, v)


def inplace_add(x: Any, i: Any, v: Any) -> Tensor:
    """As `inplace_update`, with `v` added to the rows."""
    return _of_rows(tensor_scatter_add, x, i, v)


def inplace_sub(x: Any, i: Any, v: Any) -> Tensor:
    """As `inplace_update`, with `v` taken from the rows."""
    return _of_rows(tensor_scatter_sub, x, i, v)


alias_inplace_update, alias_inplace_add, alias_inplace_sub = (
    inplace_update, inplace_add, inplace_sub,
)  # fmt: skip


def empty(shape: Any, dtype: Any, init: bool = False, name: str | None = None) -> Tensor:
    """A tensor of zeros, whether `init` asks for them or not."""
    return zeros(shape, dtype, name)


def empty_like(x: Any, init: bool | None = None) -> Tensor:
    """A tensor of zeros in the shape of `x`, whether `init` asks for them or not."""
    return zeros_like(x)

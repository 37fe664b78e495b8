"""Sparse tensors of dense ones: `tensorflow.contrib.layers.python.ops.sparse_ops`."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_gathering import gather_nd
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import not_equal, where
from minitf.core.ops.math import maximum
from minitf.core.ops.reductions import cumsum, reduce_max
from minitf.core.ops.segments import unsorted_segment_max


def _counts(dense: Tensor, ignore_value: Any) -> Tensor:
    """Where a cell is another than the one to leave out, by default zero or ""."""
    if ignore_value is None:
        ignore_value = "" if dense.dtype == dtypes.string else dense.dtype.as_numpy_dtype()
    return not_equal(dense, constant(ignore_value, dense.dtype))


def dense_to_sparse_tensor(dense_tensor: Any, ignore_value: Any = None) -> SparseTensor:
    """The cells of a tensor but those of one value.

    Args:
      dense_tensor: a tensor.
      ignore_value: that value; zero or the empty text by default.
    """
    with name_scope("DenseToSparseTensor"):
        dense = convert_to_tensor(dense_tensor)
        indices = where(_counts(dense, ignore_value), name="indices")
        sizes = shape_of(dense, out_type=dtypes.int64, name="dense_shape")
        return SparseTensor(indices, gather_nd(dense, indices, name="values"), sizes)


def indicators_to_sparse_ids(
    indicators: Any, ignore_value: Any = None, dtype: Any = dtypes.int64
) -> SparseTensor:
    """For each row the numbers of the cells that are set: labels of one-hot vectors.

    Args:
      indicators: [..., classes].
      ignore_value: of a cell that is not set; zero or the empty text by default.
      dtype: of the numbers, an integer type.
    Returns: [..., most set in a row].
    Raises:
      ValueError: when `dtype` is not an integer type.
    Example:
      >>> sess.run(indicators_to_sparse_ids([[0, 0, 1], [1, 0, 1]])).values
      array([2, 0, 2])
    """
    if not dtypes.as_dtype(dtype).is_integer:
        raise ValueError(f"Invalid dtype {dtype} not integer.")
    with name_scope(None, "indicators_to_sparse_ids", (indicators, ignore_value)):
        is_set = cast(
            _counts(convert_to_tensor(indicators, name="indicators"), ignore_value), dtypes.int64
        )
        place = is_set * cumsum(is_set, axis=-1)  # the how-manieth of its row, from 1 on
        sparse = dense_to_sparse_tensor(place)
        rows, ids = sparse.indices[:, :-1], sparse.indices[:, -1]
        return SparseTensor(
            concat([rows, reshape(sparse.values - 1, [-1, 1])], axis=1, name="indices"),
            cast(ids, dtype, name="values"),
            concat([sparse.dense_shape[:-1], reshape(reduce_max(place), [1])], axis=0),
        )


def sparse_row_envelope(
    sparse_input: SparseTensor, row_axis: int = 0, col_axis: int = 1, name: str | None = None
) -> Tensor:
    """How long each row is: one more than its last column that has a value.

    Args:
      sparse_input: of rank 2 or more.
      row_axis, col_axis: the axes of rows and columns.
      name: of the scope.
    Returns: [rows] int64.
    Raises:
      ValueError: when the axes are one, or no integers.
    """
    if not (isinstance(row_axis, int) and isinstance(col_axis, int)):
        raise ValueError("`row_axis` and `col_axis` must be integers.")
    if row_axis == col_axis:
        raise ValueError("Row and column can not be the same axis.")
    with name_scope(name, "sparse_row_envelope", [sparse_input]):
        rows, columns = (sparse_input.indices[:, axis] for axis in (row_axis, col_axis))
        count = cast(sparse_input.dense_shape[row_axis], dtypes.int32)
        return maximum(unsorted_segment_max(columns + 1, rows, count), 0)

"""Labels for `tf.nn.ctc_loss`: without repetitions, and those that are different."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.array_slicing import boolean_mask, sequence_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and, not_equal
from minitf.core.ops.reductions import reduce_max, reduce_sum
from minitf.core.ops.scatter import scatter_nd
from minitf.library.graph_tools.functional import map_fn
from minitf.library.numeric.uniqueness import unique


def _size(x: Tensor, axis: int) -> Any:
    """A size, as a number where it is known."""
    known = None if x.shape.ndims is None else x.shape.as_list()[axis]
    return shape_of(x)[axis] if known is None else known


def collapse_repeated(
    labels: Any, seq_length: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Takes only the first of equal neighbours.

    Args:
      labels: [batch, most labels].
      seq_length: [batch]: how many labels each example has.
      name: the name of the scope.
    Returns: `(labels, lengths)`: [batch, most labels left], filled up with zeros, and how many each
      example has left.
    Example:
      >>> sess.run(tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5])[0])
      array([[1, 2, 1]], dtype=int32)
    """
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        rows = convert_to_tensor(labels, name="labels")
        lengths = convert_to_tensor(seq_length, name="seq_length")
        changes = not_equal(rows[:, 1:], rows[:, :-1])
        first = concat([ones_like(rows[:, :1], dtypes.bool), changes], axis=1)
        first = logical_and(first, sequence_mask(lengths, maxlen=_size(rows, 1)))
        counts = reduce_sum(cast(first, dtypes.int32), axis=1)
        longest = reduce_max(counts)
        flat = reshape(rows, [-1])
        taken = reshape(first, [-1])
        filled = reshape(sequence_mask(counts, maxlen=longest), [-1])
        places = expand_dims(boolean_mask(range_of(_size(filled, 0)), filled), axis=1)
        kept = scatter_nd(places, boolean_mask(flat, taken), shape_of(filled))
        return reshape(kept, [_size(rows, 0), longest]), cast(counts, lengths.dtype)


def ctc_unique_labels(labels: Any, name: str | None = None) -> list[Tensor]:
    """The different labels of each example, and which of them each label is.

    Args:
      labels: [batch, most labels] integers, filled up with zeros.
      name: the name of the scope.
    Returns: twice [batch, most labels]: int64 labels, filled up with zeros, and int32 places in
      them.
    Example:
      >>> sess.run(tf.nn.ctc_unique_labels([[3, 4, 4, 3]]))
      [array([[3, 4, 0, 0]]), array([[0, 1, 1, 0]], dtype=int32)]
    """
    with name_scope(name, "ctc_unique_labels", [labels]):

        def of_one(row: Tensor) -> list[Tensor]:
            found = unique(row)
            missing = _size(found.idx, 0) - _size(found.y, 0)
            return [cast(pad(found.y, [[0, missing]]), dtypes.int64), found.idx]

        rows = convert_to_tensor(labels, name="labels")
        results: list[Tensor] = map_fn(of_one, rows, dtype=[dtypes.int64, dtypes.int32])
        return results

"""`tf.contrib.losses`: the losses before `tf.losses`, predictions first."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, logical_and, logical_not, where_v2
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import maximum, sqrt, square, truediv
from minitf.core.ops.reductions import reduce_any, reduce_max, reduce_min, reduce_sum
from minitf.library import losses
from minitf.library.numeric.diagonals import eye


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The mean of (predictions - labels)^2."""
    return losses.mean_squared_error(labels, predictions, weights, scope)


def pairwise_distance(feature: Any, squared: bool = False) -> Tensor:
    """The distance of each row from each: [batch, batch]."""
    rows = convert_to_tensor(feature)
    lengths = reduce_sum(square(rows), 1, keepdims=True)
    found = lengths + transpose(lengths) - 2.0 * matmul(rows, rows, transpose_b=True)
    found = maximum(found, 0.0)
    apart = cast(greater(found, 0.0), found.dtype)
    if not squared:
        found = sqrt(found + (1.0 - apart) * 1e-16)
    return found * apart * (1.0 - eye(shape_of(rows)[0], dtype=found.dtype))


def _same(labels: Any) -> tuple[Tensor, Tensor]:
    """Which rows are of one class, [batch, batch], and the pairs of two such rows as numbers."""
    column = reshape(convert_to_tensor(labels), [-1, 1])
    same = equal(column, transpose(column))
    count = shape_of(column)[0]
    return same, cast(same, dtypes.float32) - eye(count)


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Tensor:
    """How much nearer, by a margin, another class is than a row of one's own.

    Of the others the nearest is taken that is farther than that row; if there is none, the
    farthest of all.

    Args:
      labels: [batch] class numbers.
      embeddings: [batch, n] the vectors, of length 1.
      margin: how much farther others shall be.
    """
    distances = pairwise_distance(embeddings, squared=True)
    same, positives = _same(labels)
    others = logical_not(same)
    to_own, to_other = distances[:, :, None], distances[:, None, :]
    farther = logical_and(others[:, None, :], greater(to_other, to_own))
    highest = reduce_max(distances, 1)[:, None, None]
    lowest = reduce_min(distances, 1, keepdims=True)
    outside = reduce_min(where_v2(farther, to_other, highest), 2)
    inside = reduce_max(where_v2(others, distances, lowest), 1, keepdims=True)
    chosen = where_v2(reduce_any(farther, 2), outside, inside)
    losses = maximum((margin + distances - chosen) * positives, 0.0)
    total = reduce_sum(losses)
    return truediv(total, reduce_sum(positives), name="triplet_semihard_loss")

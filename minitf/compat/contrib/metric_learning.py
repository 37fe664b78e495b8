"""`tf.contrib.losses.metric_learning`: losses that bring vectors of one class together.

contrastive_loss         pairs that are of one class, or not (Hadsell et al., 2006)
triplet_semihard_loss    nearer to one's own class than to others (Schroff et al., 2015)
npairs_loss              a softmax over the pairs of a batch (Sohn, 2016)
lifted_struct_loss       all pairs of a batch at once (Song et al., 2016)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, logical_and, logical_not, where_v2
from minitf.core.ops.linalg import matmul
from minitf.core.ops.losses import softmax_cross_entropy_with_logits
from minitf.core.ops.math import exp, log, maximum, sqrt, square, truediv
from minitf.core.ops.reductions import reduce_any, reduce_max, reduce_mean, reduce_min, reduce_sum
from minitf.library.numeric.diagonals import eye
from minitf.library.sparse.sparse import sparse_tensor_to_dense


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


def contrastive_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0
) -> Tensor:
    """The squared distance of pairs of one class; of others how far it is below the margin.

    Args:
      labels: [batch], 1 for pairs of one class and 0 for others.
      embeddings_anchor, embeddings_positive: [batch, n] the vectors.
      margin: how far apart others shall be.
    """
    anchor, other = convert_to_tensor(embeddings_anchor), convert_to_tensor(embeddings_positive)
    distances = sqrt(reduce_sum(square(anchor - other), 1))
    alike = cast(labels, distances.dtype)
    near = alike * square(distances)
    far = (1.0 - alike) * square(maximum(margin - distances, 0.0))
    return reduce_mean(near + far, name="contrastive_loss")


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


def npairs_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:  # fmt: skip
    """The cross entropy of which rows of a batch belong to which, and the squared lengths.

    Args:
      labels: [batch] class numbers.
      embeddings_anchor, embeddings_positive: [batch, n] the vectors of pairs of one class.
      reg_lambda: how much the lengths weigh.
      print_losses: accepted.
    """
    same, _ = _same(labels)
    return _npairs(cast(same, dtypes.float32), embeddings_anchor, embeddings_positive, reg_lambda)


def npairs_loss_multilabel(
    sparse_labels: Sequence[SparseTensor], embeddings_anchor: Any, embeddings_positive: Any,
    reg_lambda: float = 0.002, print_losses: bool = False,
) -> Tensor:  # fmt: skip
    """`npairs_loss` of rows with several labels: they belong together by how many they share.

    Args:
      sparse_labels: for each row a `SparseTensor` [classes] with a 1 at each of its labels.
    """
    if not all(isinstance(each, SparseTensor) for each in sparse_labels):
        raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
    with stacks.name_scope("NpairsLossMultiLabel"):
        rows = [reshape(sparse_tensor_to_dense(each), [-1]) for each in sparse_labels]
        dense = cast(stack(rows), dtypes.float32)
        shared = matmul(dense, dense, transpose_b=True)
        return _npairs(shared, embeddings_anchor, embeddings_positive, reg_lambda)


def _npairs(shared: Tensor, anchor: Any, positive: Any, reg_lambda: float) -> Tensor:
    anchor, positive = convert_to_tensor(anchor), convert_to_tensor(positive)
    lengths = sum(reduce_mean(reduce_sum(square(each), 1)) for each in (anchor, positive))
    similar = matmul(anchor, positive, transpose_b=True)
    wanted = shared / reduce_sum(shared, 1, keepdims=True)
    entropy = softmax_cross_entropy_with_logits(labels=wanted, logits=similar)
    return 0.25 * reg_lambda * lengths + reduce_mean(entropy, name="xentropy")


def lifted_struct_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Tensor:
    """The distance of each pair of one class against those of both of its rows to all others.

    Args:
      labels: [batch] class numbers.
      embeddings: [batch, n] the vectors.
      margin: how far apart others shall be.
    """
    distances = pairwise_distance(embeddings)
    same, positives = _same(labels)
    others = cast(logical_not(same), dtypes.float32)
    gaps = margin - distances
    lowest = reduce_min(gaps, 1, keepdims=True)
    hardest = reduce_max((gaps - lowest) * others, 1, keepdims=True) + lowest
    peak = maximum(hardest, transpose(hardest))
    left = reduce_sum(exp(gaps[:, None, :] - peak[:, :, None]) * others[:, None, :], 2)
    losses = peak + log(left + transpose(left)) + distances
    total = 0.25 * reduce_sum(square(maximum(losses * positives, 0.0)))
    return truediv(total, reduce_sum(positives) / 2.0, name="liftedstruct_loss")

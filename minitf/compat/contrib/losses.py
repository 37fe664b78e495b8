"""`tf.contrib.losses`: the losses before `tf.losses`, predictions first.

Their weights are others, too. A weight for each example counts for all that the example holds, and
the loss is the mean over the elements whose weight is not zero:

    losses [batch, d1, ...]    weights [], [batch] or [batch, d1, ...]
    value = (sum of weights * losses) / (number of losses with a weight other than 0)
"""

from __future__ import annotations

from typing import Any

from minitf.compat.contrib.arg_scope import add_arg_scope
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size
from minitf.core.ops.array_filling import ones, zeros_like
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, not_equal, where
from minitf.core.ops.math import div_no_nan, multiply, square, subtract
from minitf.core.ops.reductions import reduce_prod, reduce_sum
from minitf.library.losses import util


@add_arg_scope
def add_loss(loss: Tensor, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Lists a loss for `get_total_loss`; `None` lists it nowhere."""
    util.add_loss(loss, loss_collection)


def _rank(tensor: Tensor, name: str) -> int:
    if tensor.shape.ndims is None:
        raise ValueError(f"{name}.get_shape().ndims cannot be None")
    return tensor.shape.ndims


def _scaled(losses: Tensor, weights: Tensor) -> Tensor:
    """The sum of all losses, each times the weight that it shares with its neighbours."""
    shared = list(range(_rank(weights, "weight"), _rank(losses, "losses")))
    return reduce_sum(multiply(reduce_sum(losses, shared), weights))


def _present(losses: Tensor, weights: Tensor) -> Tensor:
    """[batch]: how many losses of each example count."""
    rank = _rank(weights, "weights")
    if rank > _rank(losses, "losses"):
        raise ValueError(f"Weights of rank {rank} for losses of rank {losses.shape.ndims}.")
    if not rank:
        batch = shape_of(losses)[0]
        each = cast(size(losses), dtypes.float32) / cast(batch, dtypes.float32)
        return where(equal(weights, 0), zeros_like(each), each) * ones([batch])
    counted = reduce_sum(cast(not_equal(weights, 0), dtypes.float32), list(range(1, rank)))
    return counted * cast(reduce_prod(shape_of(losses)[rank:]), dtypes.float32)


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The mean of losses with weights; it is listed in `GraphKeys.LOSSES`.

    Args:
      losses: [batch, d1, ...].
      weights: [], [batch] or [batch, d1, ...]; a last axis of size 1 is left out.
      scope: the name of the scope.
    Raises:
      ValueError: when the rank of either is not known.
    """
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        result = losses.dtype
        losses = cast(losses, dtypes.float32)
        weights = cast(convert_to_tensor(weights), dtypes.float32)
        _rank(losses, "losses")
        if _rank(weights, "weight") > 1 and weights.shape[-1].is_compatible_with(1):
            weights = squeeze(weights, [-1])
        total = reduce_sum(_present(losses, weights))
        mean = cast(div_no_nan(_scaled(losses, weights), total, name="value"), result)
        add_loss(mean)
        return mean


def _compared(predictions: Any, labels: Any) -> tuple[Tensor, Tensor]:
    predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return cast(predictions, dtypes.float32), cast(labels, dtypes.float32)


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The mean of (predictions - labels)^2."""
    with name_scope(scope, "mean_squared_error", [predictions, labels]) as inside:
        predictions, labels = _compared(predictions, labels)
        return compute_weighted_loss(square(subtract(predictions, labels)), weights, inside)

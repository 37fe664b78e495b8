"""The collections in which a graph keeps its losses."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.convert import constant
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.math import add_n


def add_loss(loss: Tensor, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Lists a loss of one's own, so that `get_total_loss` finds it.

    Args:
      loss: a tensor.
      loss_collection: where to list it; None: nowhere.
    """
    if loss_collection and not stacks.executing_eagerly():
        stacks.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Tensor]:
    """The losses of a collection, in their order.

    Args:
      scope: takes only those whose names begin so.
      loss_collection: the collection.
    """
    return stacks.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Tensor]:
    """The losses that regularizers made; see `get_losses`."""
    return stacks.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """The sum of the losses that regularizers made; 0 when there are none."""
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of all losses of the graph.

    Args:
      add_regularization_losses: whether those of regularizers count.
      name: the name.
      scope: takes only losses whose names begin so.
    Raises:
      ValueError: when there are none.
    """
    losses: list[Any] = get_losses(scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope)
    return add_n(losses, name=name)

"""`LinearSDCA`: trains a linear estimator by stochastic dual coordinate ascent.

features ──columns──> numbers, ids ──┐
table of examples ──dual numbers─────┴──sweep──> dual numbers ──> table
                                        └──────> unshrunk weights ──shrunk──> weights
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size as size_of
from minitf.core.ops.array_filling import fill, ones, zeros
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.control import group
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import maximum, sign, square
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.variable_scope import variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureCache,
    FeatureColumn,
)
from minitf.library.feature_columns.models import linear_model
from minitf.library.optimizers.dual_ascent import sdca_sweep
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary
from minitf.library.text.lookup import MutableHashTable


@dataclasses.dataclass(frozen=True)
class LinearSDCA:
    """Trains `LinearClassifier` and `LinearRegressor`, in place of an optimizer.

    Each example has a number of its own, which a table keeps under the example's id; so every pass
    over the data must give an example the same id. Examples of a batch come in their order.

    Args:
      example_id_column: the feature with the ids, [batch] strings.
      num_loss_partitions: how many workers train at once.
      num_table_shards: has no effect here: the table is one.
      symmetric_l1_regularization: the weight of the sum of absolute weights, not negative.
      symmetric_l2_regularization: that of half of the sum of their squares, positive.
      adaptive: has no effect here: each example is taken once a step.
    Example:
      >>> data = lambda: tf.data.Dataset.from_tensors(
      ...     ({"x": [1.0, 2.0, 3.0], "id": ["a", "b", "c"]}, [2.0, 4.0, 6.0])).repeat(50)
      >>> sdca = tf.estimator.experimental.LinearSDCA("id", symmetric_l2_regularization=0.01)
      >>> model = tf.estimator.LinearRegressor(
      ...     [tf.feature_column.numeric_column("x")], "/tmp/sdca", optimizer=sdca)
      >>> weights = model.train(data).get_variable_value("linear/linear_model/x/weights")
      >>> weights.round(1)
      array([[2.]], dtype=float32)
    """

    example_id_column: str
    num_loss_partitions: int = 1
    num_table_shards: int | None = None
    symmetric_l1_regularization: float = 0.0
    symmetric_l2_regularization: float = 1.0
    adaptive: bool = False

    def __post_init__(self) -> None:
        if self.symmetric_l2_regularization <= 0.0:
            raise ValueError("symmetric_l2_regularization should be positive.")
        if self.symmetric_l1_regularization < 0.0:
            raise ValueError("symmetric_l1_regularization should be non-negative.")


@dataclasses.dataclass(frozen=True)
class SDCAOptimizer(LinearSDCA):
    """The older name, for the linear estimators of `contrib.learn` too.

    Args:
      partitioner: has no effect here.
      others: as of `LinearSDCA`.
    """

    adaptive: bool = True
    partitioner: Any = None


def sdca_model_fn(head: Any, columns: Any, sdca: LinearSDCA, combiner: str) -> Callable:
    """Returns the model_fn of a linear model that is trained so.

    Args:
      head: of two classes, or of one number.
      columns: dense columns without variables of their own, and categorical ones.
      sdca: how to train.
      combiner: how the weights of several ids of an example are combined: "sum".
    Raises:
      ValueError: when the head or the combiner is another one.
    """
    if combiner != "sum":
        raise ValueError('sparse_combiner must be "sum" when optimizer is a LinearSDCA object.')
    if head.logits_dimension > 1 or head.sdca_loss is None:
        raise ValueError(
            "LinearSDCA can only be used with one-dimensional label, and cannot be used in a "
            "multi-class setting."
        )

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        with variable_scope("linear", values=list(features.values())):
            found: dict[Any, Any] = {}
            logits = linear_model(features, columns, cols_to_vars=found)
            train_op = None
            if mode == ModeKeys.TRAIN:
                numbers, weights = head.for_sdca(features, labels, logits)
                numbers = reshape(cast(numbers, dtypes.float32), [-1])
                weights = reshape(weights * ones(shape_of(logits)), [-1])
                train_op = _sweep(sdca, head.sdca_loss, columns, features, numbers, weights, found)
            return head.create_estimator_spec(features, mode, logits, labels, lambda loss: train_op)

    return model_fn


def _inputs(columns: Any, features: Any, batch: Any) -> tuple[list[Any], list[Any], list[Tensor]]:
    """The dense columns and the categorical ones, and the first four inputs of a sweep."""
    cache = FeatureCache(features)
    dense, sparse, numbers = [], [], []
    for column in sorted(columns, key=lambda each: each.name):
        if isinstance(column, CategoricalColumn):
            sparse.append(column)
        elif (
            isinstance(column, DenseColumn)
            and type(column).create_variables is FeatureColumn.create_variables
        ):
            dense.append(column)
            numbers.append(column.flattened(column.get_dense_tensor(cache)))
        else:
            raise ValueError(f"LinearSDCA does not support column type {type(column).__name__}.")
    numbers.append(ones([batch, 1]))  # the bias
    none = zeros([0], dtypes.int64)
    parts: list[tuple[Tensor, ...]] = [(none, none, zeros([0]))]
    offset = 0
    for column in sparse:
        pair = column.get_sparse_tensors(cache)
        ids, given = pair.id_tensor, pair.weight_tensor
        values = fill([size_of(ids.values)], 1.0) if given is None else given.values
        real = greater_equal(ids.values, 0)  # a word that is unknown has the id -1
        rows, places = ids.indices[:, 0], cast(ids.values, dtypes.int64) + offset
        parts.append(tuple(boolean_mask(part, real) for part in (rows, places, values)))
        offset += column.num_buckets
    joined = [concat(list(each), 0) for each in zip(*parts, strict=True)]
    return dense, sparse, [concat(numbers, 1), *joined]


def _sweep(
    sdca: LinearSDCA,
    loss_type: str,
    columns: Any,
    features: Any,
    labels: Tensor,
    weights: Tensor,
    found: Any,
) -> Any:
    """One sweep over a batch, as an operation; the step is counted."""
    l1, l2 = sdca.symmetric_l1_regularization, sdca.symmetric_l2_regularization
    dense, sparse, inputs = _inputs(columns, features, shape_of(labels)[0])
    variables = [v for key in [*dense, "bias", *sparse] for v in found[key]]
    slots = [
        Variable(zeros(v.shape), trainable=False, name=f"{v.op.name}_unshrunk") for v in variables
    ]
    ids = reshape(features[sdca.example_id_column], [-1])
    table = MutableHashTable(dtypes.string, dtypes.float32, [0.0] * 4, name="sdca")
    whole = concat([reshape(slot, [-1]) for slot in slots], 0)
    state, delta = sdca_sweep(
        *inputs,
        labels,
        weights,
        whole,
        table.lookup(ids),
        loss_type=loss_type,
        l1=float(l1),
        l2=float(l2),
        num_loss_partitions=sdca.num_loss_partitions,
    )
    summary.scalar("approximate_duality_gap", _gap(table, variables, l1, l2))
    summary.scalar("examples_seen", table.size())
    moves = split(delta, [v.shape.num_elements() for v in variables])
    moved = [assign_add(slot, reshape(d, slot.shape)) for slot, d in zip(slots, moves)]
    with stacks.control_dependencies([table.insert(ids, state), *moved]):
        after = [slot.read_value() for slot in slots]
        shrunk = [sign(w) * maximum(absolute(w) - l1 / l2, 0.0) for w in after]
        changed = [assign(v, w) for v, w in zip(variables, shrunk)]
    with stacks.control_dependencies([group(*changed)]):
        return assign_add(get_global_step(), 1).op


def _gap(table: MutableHashTable, variables: list[Any], l1: float, l2: float) -> Tensor:
    """How far at most the loss is from the least one: of the mean example, as a scalar."""
    sums = reduce_sum(cast(table.export()[1], dtypes.float64), 0)
    exact = [cast(v, dtypes.float64) for v in variables]
    penalty = sum(l1 * reduce_sum(absolute(v)) + l2 * reduce_sum(square(v)) for v in exact)
    return (sums[1] + sums[2] + penalty) / sums[3]

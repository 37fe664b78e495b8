"""The first layer of a model of columns, `input_layer`, and a whole one, `linear_model`.

columns, by name ──> [batch, n] each ──> joined: the input layer
                 ──> times weights   ──> added up, and a bias: the linear model
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.op_def import call
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat
from minitf.core.ops.linalg import matmul
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureCache,
    FeatureColumn,
    check_batch_sizes,
    normalized,
)
from minitf.library.nets.basics import bias_add
from minitf.library.nets.embeddings import safe_embedding_lookup_sparse
from minitf.library.sparse.sparse_shaping import sparse_reshape


def _by_name(columns: list[Any]) -> list[Any]:
    return sorted(columns, key=lambda column: column.name)


def _variables_here() -> list[Any]:
    scope = get_variable_scope().name
    return stacks.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=f"{scope}/")


def input_layer(
    features: Mapping[str, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict | None = None,
    cols_to_output_tensors: dict | None = None,
) -> Tensor:
    """The numbers of all columns side by side: the first layer of a model.

    Args:
      features: from names to tensors or `SparseTensor`s, [batch] or [batch, ...].
      feature_columns: a dense column, or several; their order does not matter.
      weight_collections: the names of further collections for the variables.
      trainable: whether the variables may be trained.
      cols_to_vars: a dict that is filled with the variables of each column.
      cols_to_output_tensors: a dict that is filled with the part of each column.
    Returns: [batch, n] float32, the columns in the order of their names.
    Raises:
      ValueError: when a column is not dense, or a feature is missing.
    Example:
      >>> columns = [tf.feature_column.numeric_column(name) for name in ("width", "height")]
      >>> sess.run(tf.feature_column.input_layer({"width": [3.0], "height": [2.0]}, columns))
      array([[2., 3.]], dtype=float32)
    """
    columns = normalized(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical "
                f"column with an embedding_column or indicator_column. Given: {column}"
            )

    cache = FeatureCache(features, trainable, weight_collections)
    ordered: list[Any] = _by_name(columns)
    tensors: list[Tensor] = []
    with variable_scope(None, default_name="input_layer", values=list(features.values())):
        for column in ordered:
            with variable_scope(None, default_name=column.name):
                tensors.append(column.flattened(column.get_dense_tensor(cache)))
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = tensors[-1]
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_here()
        check_batch_sizes(tensors, ordered)
        return concat(tensors, 1)


# ---- linear model ------------------------------------------------------------------------


def linear_model(
    features: Mapping[str, Any],
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict | None = None,
) -> Tensor:
    """A linear model of columns: each has weights, and there is one bias.

    Args:
      features, feature_columns: see `input_layer`; a categorical column has a weight for each id.
      units: how many numbers are predicted.
      sparse_combiner: how the weights of several ids of an example are combined: "sum", "mean"
        or "sqrtn".
      weight_collections, trainable: see `input_layer`.
      cols_to_vars: a dict that is filled with the variables of each column, and those of "bias".
    Returns: [batch, units] float32.
    Raises:
      ValueError: when a column is neither dense nor categorical, or a feature is missing.
    Example:
      >>> price = tf.feature_column.numeric_column("price")
      >>> tf.feature_column.linear_model({"price": [1.0, 5.0]}, [price]).shape
      TensorShape([Dimension(2), Dimension(1)])
    """
    columns = _by_name(normalized(feature_columns))
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                "Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. "
                f"Given: {column}"
            )
    cache = FeatureCache(features, trainable, weight_collections)
    options: dict[str, Any] = {
        "initializer": zeros_initializer(),
        "trainable": trainable,
        "collections": cache.collections,
    }
    name = _free_scope("linear_model")
    scopes = {_free_scope(column.name): column for column in columns}
    with name_scope(name), variable_scope(name):
        sums = []
        for scope in sorted(scopes):
            column = scopes[scope]
            with variable_scope(scope):

                def weights(width: int) -> Any:
                    return get_variable("weights", [width, units], **options)

                sums.append(_weighted(column, weights, cache, sparse_combiner))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_here()
        check_batch_sizes(sums, [scopes[scope] for scope in sorted(scopes)])
        total = call("AddN", sums, name="weighted_sum_no_bias")
        bias = get_variable("bias_weights", [units], **options)
        if cols_to_vars is not None:
            cols_to_vars["bias"] = getattr(bias, "_variable_list", [bias])
        return bias_add(total, bias, name="weighted_sum")


def _free_scope(name: str) -> str:
    """The next free name of a variable scope here."""
    with variable_scope(None, default_name=name) as scope:
        return scope.name.rpartition("/")[2]


def _weighted(
    column: Any, weights: Callable[[int], Any], cache: FeatureCache, combiner: str
) -> Tensor:
    """The sum of one column; `weights` makes so many for each unit."""
    if not isinstance(column, CategoricalColumn):
        made = weights(column.width) if column.width else None  # before variables of its tensor
        tensor = column.flattened(column.get_dense_tensor(cache))
        made = weights(tensor.shape[1].value) if made is None else made
        return matmul(tensor, made, name="weighted_sum")
    pair = column.get_sparse_tensors(cache)
    ids, given = (
        part and sparse_reshape(part, [part.dense_shape[0], -1])
        for part in (pair.id_tensor, pair.weight_tensor)
    )
    table = weights(column.num_buckets)
    return safe_embedding_lookup_sparse(table, ids, given, combiner, name="weighted_sum")


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """What `tf.parse_example` needs to know to read the features of columns.

    Args:
      feature_columns: the columns.
    Returns: from names of features to `tf.FixedLenFeature` and `tf.VarLenFeature`.
    Raises:
      ValueError: when two columns want one feature differently.
    Example:
      >>> age = tf.feature_column.numeric_column("age")
      >>> tf.feature_column.make_parse_example_spec([age])
      {'age': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    spec: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"All feature_columns must be _FeatureColumn instances. Given: {column}"
            )
        for key, value in column.parse_example_spec.items():
            if spec.setdefault(key, value) != value:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. "
                    f"Given {value} and {spec[key]}"
                )
    return spec

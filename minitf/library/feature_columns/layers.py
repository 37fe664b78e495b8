"""Feature columns as the first layer of a Keras model: `DenseFeatures` and `SequenceFeatures`.

A layer keeps its columns' variables and tables for all its calls, and writes down the columns
themselves in its configuration: `NumericColumn(key="a", ...)` is there
`{"class_name": "NumericColumn", "config": {"key": "a", ...}}`. Functions are only named there, and
found again among the objects that the reader passes: nothing in a configuration is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.feature_columns.base import (
    DenseColumn,
    FeatureCache,
    FeatureColumn,
    ScopeState,
    SequenceDenseColumn,
    as_plain_data,
    from_plain_data,
    normalized,
)
from minitf.library.feature_columns.models import joined, joined_sequences
from minitf.library.keras.backend import session as backend
from minitf.library.keras.engine.base_layer import Layer


class _LayerState(ScopeState):
    """The variables and tables of the columns of one layer."""

    _use_resource = True

    def __init__(self, layer: Layer, trainable: bool | None = None) -> None:
        super().__init__(bool(layer.trainable) if trainable is None else trainable)
        self.collections = []
        self._layer = layer
        self._tables: dict[tuple, Any] = {}
        self._resources: dict[tuple, Any] = {}

    def _keep(self, variable: Any, trainable: bool) -> None:
        parts = list(getattr(variable, "_variable_list", [variable]))
        for part in parts:
            self._layer._own(part, trainable)
        backend.track_variables(parts)

    def table(self, column: Any, name: str, make: Callable[[], Any]) -> Any:
        key = (stacks.outermost(), column, name)
        if key not in self._tables:
            self._tables[key] = super().table(column, name, make)
        return self._tables[key]

    def add_resource(self, column: Any, name: str, resource: Any) -> None:
        """Keeps what a column made for itself, under a name."""
        self._resources[column, name] = resource

    def has_resource(self, column: Any, name: str) -> bool:
        """Whether a column keeps something under a name."""
        return (column, name) in self._resources

    def get_resource(self, column: Any, name: str) -> Any:
        """What a column keeps under a name.

        Raises:
          ValueError: when it keeps nothing there.
        """
        if not self.has_resource(column, name):
            raise ValueError("Resource does not exist.")
        return self._resources[column, name]


class _FeatureLayer(Layer):
    """What both layers have in common."""

    _is_feature_layer = True
    _takes: type = FeatureColumn

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None,
        partitioner: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, trainable=trainable, **kwargs)
        self._feature_columns = sorted(normalized(feature_columns), key=lambda c: c.name)
        self._partitioner = partitioner
        self._state = _LayerState(self)
        for column in self._feature_columns:
            if not isinstance(column, self._takes):
                raise ValueError(
                    f"Items of feature_columns must be a {self._takes}. You can wrap a categorical "
                    f"column with an embedding_column or indicator_column. Given: {column}"
                )

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(inputs, Mapping):  # before the layer takes the values for tuples
            inputs = dict(inputs)
            for key, value in inputs.items():
                if isinstance(value, SparseTensorValue):
                    inputs[key] = SparseTensor.from_value(value)
        return super().__call__(inputs, *args, **kwargs)

    def build(self, input_shape: Any) -> None:
        for column in self._feature_columns:
            scope = re.sub(r"[^A-Za-z0-9_.\-]", "_", column.name)
            with variable_scope(self.name, partitioner=self._partitioner), variable_scope(scope):
                column.create_state(self._state)
        self.built = True

    def _cache(self, features: Any) -> FeatureCache:
        if not isinstance(features, Mapping):
            raise ValueError("We expected a dictionary here. Instead we got: ", features)
        return FeatureCache(features)

    def compute_output_shape(self, input_shape: Any) -> Any:
        widths = [c.variable_shape.num_elements() for c in self._feature_columns]  # type: ignore[attr-defined]
        return (*tuple(input_shape)[: self._axes], sum(widths))

    _axes = 1  # how many the outputs have before the numbers

    def get_config(self) -> dict[str, Any]:
        columns = list(map(as_plain_data, self._feature_columns))
        own = {"feature_columns": columns, "partitioner": None}
        return {**super().get_config(), **own}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping | None = None) -> Any:
        columns = [
            from_plain_data(column, custom_objects or {}) for column in config["feature_columns"]
        ]
        return cls(**{**config, "feature_columns": columns})


class DenseFeatures(_FeatureLayer):
    """The numbers of columns side by side: the first layer of a model of a dict of features.

    Args:
      feature_columns: a dense column, or several; their order does not matter.
      trainable: whether the variables are to be trained.
      name: the name, under which the variables are too.
      partitioner: see `tf.variable_scope`.

    Raises:
      ValueError: when a column is not dense.
    Example:
      >>> columns = [tf.feature_column.numeric_column(name) for name in ("width", "height")]
      >>> layer = tf.keras.layers.DenseFeatures(columns)
      >>> sess.run(layer({"width": [3.0], "height": [2.0]}))
      array([[2., 3.]], dtype=float32)
    """

    _takes = DenseColumn

    def call(self, inputs: Any, cols_to_output_tensors: dict | None = None) -> Tensor:
        return joined(
            self._feature_columns, self._cache(inputs), self._state,
            lambda column: name_scope(column.name), cols_to_output_tensors,
        )  # fmt: skip


class SequenceFeatures(_FeatureLayer):
    """Sequences of numbers of columns side by side, and how long each one is.

    Args:
      feature_columns: columns of `sequence_numeric_column`, or embedding and indicator columns of
        `sequence_categorical_column_with_*`, whose sequences are as long.
      trainable, name: see `DenseFeatures`.

    Returns: of a call, [batch, time, n] float32 and [batch] int64.
    Raises:
      ValueError: when a column is not one of sequences.
    """

    _takes, _axes = SequenceDenseColumn, 2

    def call(self, inputs: Any) -> tuple[Tensor, Tensor]:
        return joined_sequences(
            self._feature_columns,
            self._cache(inputs),
            self._state,
            lambda column: name_scope(column.name),
        )

"""What `tf.parse_example` needs to know to read the examples of a premade estimator."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.library.feature_columns.models import make_parse_example_spec
from minitf.library.feature_columns.numeric import NumericColumn, numeric_column
from minitf.library.parsing.example_parsing import FixedLenFeature


def classifier_parse_example_spec(
    feature_columns: Any, label_key: str, label_dtype: Any = dtypes.int64,
    label_default: Any = None, weight_column: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Returns the features of a classifier's examples, with the label.

    Args:
      feature_columns: the columns.
      label_key: the name of the label.
      label_dtype: its type; string when there is a vocabulary.
      label_default: the label of examples without one.
      weight_column: the feature that weighs the examples.
    Raises:
      ValueError: when a name is used twice, or the weights are no numeric column.
    """
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns: Any, label_key: str, label_dtype: Any = dtypes.float32,
    label_default: Any = None, label_dimension: int = 1, weight_column: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Returns the features of a regressor's examples, with the labels.

    Args:
      label_dimension: how many numbers an example has.
      others: as of `classifier_parse_example_spec`.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def _with_label(columns: Any, label_key: str, label: Any, weight_column: Any) -> dict[str, Any]:
    spec = make_parse_example_spec(columns)
    if label_key in spec:
        raise ValueError(
            f"label should not be used as feature. label_key: {label_key}, features: {spec.keys()}"
        )
    spec[label_key] = label
    if weight_column is None:
        return spec
    weights = numeric_column(weight_column) if isinstance(weight_column, str) else weight_column
    if not isinstance(weights, NumericColumn):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. Given type: "
            f"{type(weights)} value: {weights}"
        )
    if weights.key in spec:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {weights.key}, features: "
            f"{spec.keys()}"
        )
    return {**spec, **weights.parse_example_spec}

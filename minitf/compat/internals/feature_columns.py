"""What TensorFlow's own code calls of feature columns, below its public functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf.library.feature_columns.base import FeatureCache, FeatureColumn, ScopeState, normalized


def _transform_features(
    features: Mapping[str, Any], feature_columns: Any, state_manager: Any = None
) -> dict[FeatureColumn, Any]:
    """The tensors of columns, by column.

    Args:
      features: from keys to tensors.
      feature_columns: the columns.
      state_manager: what keeps their variables and tables.
    """
    cache, state = FeatureCache(features), state_manager or ScopeState()
    columns: Sequence[FeatureColumn] = normalized(feature_columns)
    return {column: cache.get(column, state) for column in sorted(columns, key=lambda c: c.name)}

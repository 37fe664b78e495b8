"""What TensorFlow's own code calls of feature columns, below its public functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureCache,
    FeatureColumn,
    ScopeState,
    normalized,
)


class _OlderBase:
    """The name that a base class of columns had before `feature_column_v2`.

    TensorFlow has a class of its own for it, and programs that want to run with both name both as
    bases, in either order. Here it stands for the one class, and for nothing beside it.
    """

    def __init__(self, newer: type) -> None:
        self._newer = newer

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        given = any(isinstance(base, type) and issubclass(base, self._newer) for base in bases)
        return () if given else (self._newer,)

    def __instancecheck__(self, column: Any) -> bool:
        return isinstance(column, self._newer)

    def __subclasscheck__(self, kind: type) -> bool:
        return issubclass(kind, self._newer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._newer, name)


_CategoricalColumn = _OlderBase(CategoricalColumn)
_DenseColumn = _OlderBase(DenseColumn)
_FeatureColumn = _OlderBase(FeatureColumn)


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

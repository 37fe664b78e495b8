"""`tensorflow.python.eager.monitoring`: numbers that a library counts about its own use."""

from __future__ import annotations

from typing import Any


class Gauge:
    """A value for each combination of labels.

    Args:
      name: what it tells, as "/tensorflow/agents/agents".
      description: a sentence.
      labels: names of the labels.
    """

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self.name, self.description = name, description
        self._cells: dict[tuple[str, ...], Cell] = {}

    def get_cell(self, *labels: str) -> Cell:
        """The value for some labels."""
        return self._cells.setdefault(labels, Cell())


class Cell:
    """One value."""

    def __init__(self) -> None:
        self._value: Any = 0

    def set(self, value: Any) -> None:
        """Replaces it."""
        self._value = value

    def increase_by(self, value: Any) -> None:
        """Adds to it."""
        self._value += value

    def value(self) -> Any:
        """What was set last."""
        return self._value


BoolGauge = IntGauge = StringGauge = Counter = Gauge

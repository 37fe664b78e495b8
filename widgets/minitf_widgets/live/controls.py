"""What a reader of a page may turn: sliders, choices, checkboxes; and the values they may take.

    Live(rate=Slider(0.001, 1.0, 0.1, log=True), momentum=Choice(0.0, 0.9), nesterov=False)

A value that the page sends is checked before it counts: whatever comes, a slider stays within its
ends and a choice among its values.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from minitf_widgets.chart import format_value

__all__ = ["Checkbox", "Choice", "Control", "Slider", "Text", "as_control"]


class Control:
    """Something with a value that a reader changes on the page."""

    label: str | None
    value: Any
    kind = ""
    drawn: tuple[str, ...] = ()  # the attributes that the page needs to draw it

    def spec(self) -> dict[str, Any]:
        """What the page needs to draw it."""
        return {"kind": self.kind, **{name: getattr(self, name) for name in self.drawn}}

    def take(self, sent: Any) -> Any:
        """Returns the value that the page means; raises TypeError or ValueError for nonsense."""
        raise NotImplementedError

    def sent(self, value: Any) -> Any:
        """Returns a value as the page knows it."""
        return value

    def some(self, most: int) -> list[Any]:
        """Returns up to `most` of its values as the page sends them, spread over all."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """Returns a value in words."""
        return str(value)

    def label_of(self, name: str) -> str:
        """Returns what stands beside it; `name` is that of the control."""
        return name.replace("_", " ") if self.label is None else self.label


@dataclasses.dataclass
class Slider(Control):
    """A number from `low` to `high`.

    Args:
      low, high: the ends.
      value: where it stands first; the low end by default.
      step: the distance of two values; 1 between whole numbers, else a hundredth of the way.
      log: whether equal ways are equal factors, as for a learning rate; both ends are above 0.
      label: its name on the page; by default the name of the control.
    Raises:
      ValueError: when the ends are no range, or `value` is outside.
    Example:
      >>> Slider(0.001, 1.0, 0.1, log=True).value
      0.1
    """

    kind, drawn = "slider", ("low", "high", "step", "log")

    low: float
    high: float
    value: float | None = None  # type: ignore[assignment]
    step: float | None = None
    log: bool = False
    label: str | None = None

    def __post_init__(self) -> None:
        self.value = self.low if self.value is None else self.value
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"A slider goes from low to high, not {self.low} to {self.high}.")
        if self.log and self.low <= 0:
            raise ValueError(f"A logarithmic slider starts above 0, not at {self.low}.")
        if not self.low <= self.value <= self.high:
            raise ValueError(f"{self.value} is not between {self.low} and {self.high}.")
        if self.step is None and not self.log and self._whole(self.low, self.high, self.value):
            self.step = 1

    @staticmethod
    def _whole(*numbers: Any) -> bool:
        return all(isinstance(number, int) for number in numbers)

    def take(self, sent: Any) -> float:
        number = float(sent)
        if math.isnan(number):
            raise ValueError("a slider has no place for NaN")
        kept = min(max(number, self.low), self.high)
        whole = self._whole(self.low, self.high) and self._whole(self.step)
        return round(kept) if whole else kept

    def some(self, most: int) -> list[float]:
        shares = [place / max(1, most - 1) for place in range(most)]
        if self.log:
            found = [self.low * (self.high / self.low) ** share for share in shares]
        elif self.step:
            places = round((self.high - self.low) / self.step)
            found = [self.low + round(share * places) * self.step for share in shares]
        else:
            found = [self.low + (self.high - self.low) * share for share in shares]
        return sorted({self.take(value) for value in [*found, self.value]})

    def text(self, value: Any) -> str:
        return format_value(value)


class Choice(Control):
    """One of several values.

    Args:
      values: the values, whose texts the page shows; or one dict {text: value}.
      value: the first choice; the first value by default.
      label: its name on the page.
    Raises:
      ValueError: when there is nothing to choose, or `value` is none of them.
    Example:
      >>> Choice({"plain": 0.0, "with momentum": 0.9}).value
      0.0
    """

    kind, drawn = "choice", ("texts",)

    def __init__(self, *values: Any, value: Any = None, label: str | None = None) -> None:
        named = values[0] if len(values) == 1 and isinstance(values[0], Mapping) else None
        self.texts = [str(v) for v in (named if named is not None else values)]
        self.values = list(named.values() if named is not None else values)
        if not self.values:
            raise ValueError("A choice needs at least one value.")
        self.label, self.value = label, self.values[0] if value is None else value
        self.sent(self.value)

    def take(self, sent: Any) -> Any:
        place = int(sent)
        if not 0 <= place < len(self.values):
            raise ValueError(f"there is no choice {place}")
        return self.values[place]

    def sent(self, value: Any) -> int:
        for place, each in enumerate(self.values):
            if each is value or each == value:
                return place
        raise ValueError(f"{value!r} is none of the choices {', '.join(self.texts)}.")

    def some(self, most: int) -> list[int]:
        return list(range(min(most, len(self.values))))

    def text(self, value: Any) -> str:
        return self.texts[self.sent(value)]


@dataclasses.dataclass
class Checkbox(Control):
    """Yes or no."""

    kind = "checkbox"

    value: bool = False
    label: str | None = None

    def take(self, sent: Any) -> bool:
        return bool(sent)

    def some(self, most: int) -> list[bool]:
        return [False, True]


@dataclasses.dataclass
class Text(Control):
    """A line of text, at most 200 characters; `width` in characters."""

    kind, drawn = "text", ("width",)

    value: str = ""
    label: str | None = None
    width: int = 16

    def take(self, sent: Any) -> str:
        return str(sent)[:200]

    def some(self, most: int) -> list[str]:
        return [self.value]


def as_control(what: Any) -> Control:
    """Returns a control: itself, or a checkbox for a bool, a choice for a list, tuple or dict."""
    if isinstance(what, Control):
        return what
    if isinstance(what, bool):
        return Checkbox(what)
    if isinstance(what, Mapping):
        return Choice(what)
    if isinstance(what, (list, tuple)):
        return Choice(*what)
    raise TypeError(f"A control is a Slider, a Choice, a list of values or a bool, not {what!r}.")

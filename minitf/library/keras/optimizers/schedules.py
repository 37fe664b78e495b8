"""Learning rates that change with the step, as objects: `tf.keras.optimizers.schedules`.

The formulas are those of `tf.train.exponential_decay` and its kin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.library.keras.objects import Family
from minitf.library.optimizers import schedules


class LearningRateSchedule:
    """Base of the schedules; a subclass says the rate of a step in `__call__`, and `get_config`."""

    def __call__(self, step: Any) -> Any:
        """The rate of a step."""
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        raise NotImplementedError("Learning rate schedule must override get_config")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LearningRateSchedule:
        """Makes the schedule that `get_config` described."""
        return cls(**config)


class _OfFunction(LearningRateSchedule):
    """A schedule whose formula is a function of `tf.train`."""

    _function: Callable[..., Any]

    def __init__(self, first: dict[str, Any], name: str | None, **others: Any) -> None:
        """Keeps the arguments; `first` is the one that the function takes before the step."""
        self._first, self._others = first, others
        self.name = name
        for key, value in {**first, **others}.items():
            setattr(self, key, value)

    def __call__(self, step: Any) -> Any:
        """The rate of a step."""
        function = type(self)._function
        rate = function(*self._first.values(), step, **self._others, name=self.name)
        return rate() if callable(rate) else rate

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {**self._first, **self._others, "name": self.name}


class ExponentialDecay(_OfFunction):
    """initial_learning_rate * decay_rate ^ (step / decay_steps).

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: after so many steps the rate has been multiplied by `decay_rate` once.
      decay_rate: the factor.
      staircase: let the rate fall in steps.
      name: of the result.
    """

    _function = staticmethod(schedules.exponential_decay)

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any,
        staircase: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        others = {"decay_steps": decay_steps, "decay_rate": decay_rate, "staircase": staircase}
        super().__init__({"initial_learning_rate": initial_learning_rate}, name, **others)


class InverseTimeDecay(_OfFunction):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps); see `ExponentialDecay`."""

    _function = staticmethod(schedules.inverse_time_decay)

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any,
        staircase: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        others = {"decay_steps": decay_steps, "decay_rate": decay_rate, "staircase": staircase}
        super().__init__({"initial_learning_rate": initial_learning_rate}, name, **others)


class PolynomialDecay(_OfFunction):
    """From the initial to the end rate in `decay_steps`, along (1 - step / decay_steps)^power.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: when the end is reached.
      end_learning_rate: the rate from then on.
      power: 1 for a straight line.
      cycle: start again above the end, with a longer decay.
      name: of the result.
    """

    _function = staticmethod(schedules.polynomial_decay)

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, end_learning_rate: Any = 0.0001,
        power: Any = 1.0, cycle: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        others = {"end_learning_rate": end_learning_rate, "power": power, "cycle": cycle}
        first = {"initial_learning_rate": initial_learning_rate}
        super().__init__(first, name, decay_steps=decay_steps, **others)


class PiecewiseConstantDecay(_OfFunction):
    """values[0] up to boundaries[0], values[1] up to boundaries[1], and so on.

    Args:
      boundaries: increasing steps.
      values: one more than the boundaries.
      name: of the result.
    """

    _function = staticmethod(schedules.piecewise_constant)

    def __init__(
        self, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values")
        super().__init__({}, name, boundaries=boundaries, values=values)


_OWN = {name: value for name, value in globals().items() if name.endswith("Decay")}
_SCHEDULES = Family("decay", _OWN)
serialize, deserialize = _SCHEDULES.serialize, _SCHEDULES.deserialize

"""Learning rates that change with the step, as objects: `tf.keras.optimizers.schedules`.

The formulas are those of `tf.train.exponential_decay` and its kin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.library.keras.objects import Family


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


_OWN = {each.__name__: each for each in _OfFunction.__subclasses__()}
_SCHEDULES = Family("decay", _OWN)
serialize, deserialize = _SCHEDULES.serialize, _SCHEDULES.deserialize

"""Learning rates that change with the step, as objects: `tf.keras.optimizers.schedules`.

The formulas are those of `tf.train.exponential_decay` and its kin.
"""

from __future__ import annotations

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


_SCHEDULES = Family("decay", {})
serialize, deserialize = _SCHEDULES.serialize, _SCHEDULES.deserialize

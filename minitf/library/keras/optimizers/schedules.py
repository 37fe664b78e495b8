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


class CosineDecay(_OfFunction):
    """Down to alpha * initial_learning_rate in `decay_steps`, along half a cosine wave.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: when the end is reached.
      alpha: the part of the rate that is left.
      name: of the result.
    """

    _function = staticmethod(schedules.cosine_decay)

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, alpha: Any = 0.0,
        name: str | None = None,
    ) -> None:  # fmt: skip
        first = {"initial_learning_rate": initial_learning_rate}
        super().__init__(first, name, decay_steps=decay_steps, alpha=alpha)


class CosineDecayRestarts(_OfFunction):
    """Cosine decays one after the other (Loshchilov and Hutter, 2016).

    Args:
      initial_learning_rate: the rate at step 0.
      first_decay_steps: how long the first decay takes.
      t_mul, m_mul: how many times as long each next one takes, and as high it begins.
      alpha: the part of the rate that is left at the end of each.
      name: of the result.
    """

    _function = staticmethod(schedules.cosine_decay_restarts)

    def __init__(
        self, initial_learning_rate: Any, first_decay_steps: Any, t_mul: Any = 2.0,
        m_mul: Any = 1.0, alpha: Any = 0.0, name: str | None = None,
    ) -> None:  # fmt: skip
        others = {"t_mul": t_mul, "m_mul": m_mul, "alpha": alpha}
        first = {"initial_learning_rate": initial_learning_rate}
        super().__init__(first, name, first_decay_steps=first_decay_steps, **others)


class LinearCosineDecay(_OfFunction):
    """A straight line to zero times a cosine wave (Bello and others, 2017).

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: when the end is reached.
      num_periods: how many periods the cosine makes until then.
      alpha: is added to the line.
      beta: the part of the rate that is left.
      name: of the result.
    """

    _function = staticmethod(schedules.linear_cosine_decay)

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, num_periods: Any = 0.5,
        alpha: Any = 0.0, beta: Any = 0.001, name: str | None = None,
    ) -> None:  # fmt: skip
        others = {"num_periods": num_periods, "alpha": alpha, "beta": beta}
        first = {"initial_learning_rate": initial_learning_rate}
        super().__init__(first, name, decay_steps=decay_steps, **others)


class NoisyLinearCosineDecay(_OfFunction):
    """`LinearCosineDecay` with noise on the line.

    Args:
      initial_learning_rate, decay_steps, num_periods, alpha, beta, name: as there.
      initial_variance: of the noise at step 0.
      variance_decay: the noise's variance falls as (1 + step)^-variance_decay.
    """

    _function = staticmethod(schedules.noisy_linear_cosine_decay)

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, initial_variance: Any = 1.0,
        variance_decay: Any = 0.55, num_periods: Any = 0.5, alpha: Any = 0.0, beta: Any = 0.001,
        name: str | None = None,
    ) -> None:  # fmt: skip
        noise = {"initial_variance": initial_variance, "variance_decay": variance_decay}
        others = {**noise, "num_periods": num_periods, "alpha": alpha, "beta": beta}
        first = {"initial_learning_rate": initial_learning_rate}
        super().__init__(first, name, decay_steps=decay_steps, **others)


_OWN = {each.__name__: each for each in _OfFunction.__subclasses__()}
_SCHEDULES = Family("decay", _OWN)
serialize, deserialize = _SCHEDULES.serialize, _SCHEDULES.deserialize

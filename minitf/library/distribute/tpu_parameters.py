"""`tf.tpu.experimental`: how the tables of embeddings on TPUs are trained, as plain data.

Simulated TPUs have no memory for embeddings of its own: the settings are kept for those who read
them. What stands outside of a compiled part here stands where all operations stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Parameters:
    """What all of them have in common.

    Args:
      learning_rate: the size of a step.
      use_gradient_accumulation: whether gradients are summed before they are applied.
      clip_weight_min, clip_weight_max: bounds of the values; None for none.
      weight_decay_factor: how much of the values goes away in a step; None for nothing.
      multiply_weight_decay_factor_by_learning_rate: whether that goes with the rate.
    Raises:
      ValueError: for bounds of gradients without accumulation.
    """

    def __init__(
        self,
        learning_rate: float,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.use_gradient_accumulation = use_gradient_accumulation
        self.clip_weight_min = clip_weight_min
        self.clip_weight_max = clip_weight_max
        self.weight_decay_factor = weight_decay_factor
        self.multiply_weight_decay_factor_by_learning_rate = (
            multiply_weight_decay_factor_by_learning_rate
        )


class StochasticGradientDescentParameters(_Parameters):
    """Plain steps.

    Args:
      learning_rate, clip_weight_min, clip_weight_max: see `AdagradParameters`.
    """

    def __init__(
        self,
        learning_rate: float,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, False, clip_weight_min, clip_weight_max)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if value <= 0.0:
            raise ValueError(f"{name} must be positive; got {value}.")


def _not_negative(**values: float) -> None:
    for name, value in values.items():
        if value < 0.0:
            raise ValueError(f"{name} must be greater than or equal to 0; got {value}.")


class AdagradParameters(_Parameters):
    """Steps of Adagrad.

    Args:
      learning_rate: the size of a step.
      initial_accumulator: where the sums of squares start.
      use_gradient_accumulation: whether gradients are summed before they are applied.
      clip_weight_min, clip_weight_max: bounds of the values.
    Raises:
      ValueError: when the sums start at no positive number.
    Example:
      >>> tf.tpu.experimental.AdagradParameters(0.1).initial_accumulator
      0.1
    """

    def __init__(
        self,
        learning_rate: float,
        initial_accumulator: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max)
        _positive(initial_accumulator=initial_accumulator)
        self.initial_accumulator = initial_accumulator


class AdamParameters(_Parameters):
    """Steps of Adam.

    Args:
      learning_rate, beta1, beta2, epsilon: see `tf.train.AdamOptimizer`.
      lazy_adam: whether only rows with a gradient move.
      sum_inside_sqrt: whether `epsilon` stands under the root.
      use_gradient_accumulation: whether gradients are summed before they are applied.
      clip_weight_min, clip_weight_max: bounds of the values.
    Raises:
      ValueError: when a number is out of its range.
    """

    def __init__(
        self,
        learning_rate: float,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        lazy_adam: bool = True,
        sum_inside_sqrt: bool = True,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max)
        for name, value in (("beta1", beta1), ("beta2", beta2)):
            if not 0.0 <= value < 1.0:
                raise ValueError(f"{name} must be between 0. and 1; got {value}.")
        _positive(epsilon=epsilon)
        if not use_gradient_accumulation and not lazy_adam:
            raise ValueError("When disabling lazy Adam, gradient accumulation must be used.")
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.lazy_adam, self.sum_inside_sqrt = lazy_adam, sum_inside_sqrt


class FtrlParameters(_Parameters):
    """Steps of FTRL.

    Args:
      learning_rate, learning_rate_power, initial_accumulator_value, l1_regularization_strength,
        l2_regularization_strength: see `tf.train.FtrlOptimizer`.
      use_gradient_accumulation: whether gradients are summed before they are applied.
      clip_weight_min, clip_weight_max: bounds of the values.
    Raises:
      ValueError: when a number is out of its range.
    """

    def __init__(
        self,
        learning_rate: float,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max)
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power must be less than or equal to 0. got {learning_rate_power}."
            )
        _not_negative(
            initial_accumulator_value=initial_accumulator_value,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength


def core(num: int) -> str:
    """The name of a core of a replica, for `tf.device`.

    Example:
      >>> tf.tpu.core(1)
      'device:TPU_REPLICATED_CORE:1'
    """
    return f"device:TPU_REPLICATED_CORE:{num}"


def outside_compilation(computation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function in a compiled part whose operations are to stay outside of it.

    Args:
      computation: the function.
      args, kwargs: its arguments.
    Returns: what it returns.
    """
    return computation(*args, **kwargs)

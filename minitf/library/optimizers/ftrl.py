"""Ftrl: "follow the regularized leader", online learning of sparse linear models.

accum  <- accum + gradient^2
linear <- linear + gradient - (accum_new^-p - accum^-p) / learning_rate * var
var    <- 0 where |linear| <= l1, else (sign(linear) * l1 - linear) / (accum^-p / lr + 2 * l2)
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.likes import TensorLike
from minitf.core.ops.math import maximum
from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Optimizer, Rule
from minitf.core.variables.initializers import ones_initializer


@update("ApplyFtrl", "var accum linear", "grad lr l1 l2 lr_power", compiled="updates")
def apply_ftrl(xp, w, a, z, g, lr, l1, l2, power):
    """linear gathers the gradients less what they moved; var is its minimum with l1 and l2."""
    _ftrl(xp, w, a, z, g, g, lr, l1, l2, power)


@update("ApplyFtrlV2", "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power")
def apply_ftrl_v2(xp, w, a, z, g, lr, l1, l2, shrinkage, power):
    """Ftrl with a penalty on large weights that the accumulator does not see."""
    _ftrl(xp, w, a, z, g, g + 2 * shrinkage * w, lr, l1, l2, power)


def _ftrl(xp, w, a, z, g, seen, lr, l1, l2, power):
    """`seen` is the gradient that goes into `linear`."""
    new = a + g * g
    root = new**-power
    z += seen - (root - a**-power) / lr * w
    size = xp.maximum(xp.absolute(z) - l1, 0)
    w[...] = -xp.copysign(size, z) / (root / lr + 2 * l2)
    a[...] = new


class FtrlOptimizer(Optimizer):
    """The FTRL-Proximal algorithm (McMahan and others, 2013).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      learning_rate_power: how the learning rate falls; not positive, 0 for a fixed one.
      initial_accumulator_value: where the accumulators start; not negative.
      l1_regularization_strength: pulls variables to zero; not negative.
      l2_regularization_strength: makes large variables smaller; not negative.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slots (`W/Ftrl`, `W/Ftrl_1`).
      accum_name, linear_name: other names of the slots.
      l2_shrinkage_regularization_strength: a penalty on large variables; not negative.
      beta: of the paper; lowers the first steps.

    Raises:
      ValueError: when a number has the wrong sign.
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"initial_accumulator_value {initial_accumulator_value:f} needs to be positive or "
                "zero"
            )
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        for key, value in (
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{key} {value:f} needs to be positive or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

        def start(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return ones_initializer()(shape, dtype) * initial_accumulator_value

        shrinks = l2_shrinkage_regularization_strength > 0.0
        self._rule = Rule(
            apply_ftrl_v2 if shrinks else apply_ftrl,
            settings=(
                "learning_rate",
                "l1_regularization_strength",
                "adjusted_l2_regularization_strength",
                *(["l2_shrinkage_regularization_strength"] if shrinks else []),
                "learning_rate_power",
            ),
            slots={"accum": start, "linear": 0.0},
            names={"accum": accum_name or name, "linear": linear_name or name},
        )

    def _adjusted_l2_regularization_strength(self) -> Any:
        """A setting: beta / (2 * learning rate) acts as more of l2 does."""
        rate = maximum(self._learning_rate, 1e-36)
        return self._l2_regularization_strength + self._beta / (2.0 * rate)

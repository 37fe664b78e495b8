"""The initializers of `tf.contrib.layers`: functions, with their own names for the settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.random import random_uniform, truncated_normal
from minitf.core.variables.initializers import compute_fans


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = dtypes.float32,
) -> Callable[..., Tensor]:
    """Makes an initializer of variance factor / n, which keeps the size of a signal.

    Args:
      factor: 2 suits layers with a relu, 1 others.
      mode: n is the number of inputs ("FAN_IN"), of outputs ("FAN_OUT") or their mean ("FAN_AVG").
      uniform: draws from a range; otherwise from a normal distribution cut off at two deviations.
      seed: makes the draw repeatable.
      dtype: the type.
    Raises:
      TypeError: when the type is not float, or there is no such mode.
    """
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Tensor:
        if not dtypes.as_dtype(dtype).is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        if not len(shape):
            inputs = outputs = 1
        else:
            inputs, outputs = compute_fans(shape)
        n = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": (inputs + outputs) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_uniform(shape, -limit, limit, dtype, seed=seed)
        # A normal distribution that is cut off has a smaller deviation; 1.3 makes up for it.
        return truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)

    return initializer


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = dtypes.float32
) -> Callable[..., Tensor]:
    """Makes Xavier Glorot's initializer: variance 2 / (inputs + outputs).

    Args:
      uniform: draws from a range; otherwise from a normal distribution.
      seed: makes the draw repeatable.
      dtype: the type.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)

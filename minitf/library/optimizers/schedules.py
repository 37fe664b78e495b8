"""Learning rates that change with the global step: the functions `tf.train.*_decay`.

    rate = tf.train.exponential_decay(0.1, global_step, 1000, 0.96)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)

Each returns a tensor that is computed anew in every step. With eager execution it returns a
function instead, which an optimizer calls in every step.
"""

from __future__ import annotations

import math as python_math
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import int32
from minitf.core.graph.graph import Tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import TensorLike
from minitf.core.ops import math
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import stack
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, where
from minitf.core.ops.reductions import reduce_sum


def _schedule(
    name: str | None, default_name: str, rate: Callable[..., Any], learning_rate: Any, *numbers: Any
) -> Any:
    """What all schedules share.

    Args:
      name: the name of the result.
      default_name: the same by default.
      rate: from that name, the first rate and the numbers to the rate.
      learning_rate: the first rate, which gives all numbers their type.
      numbers: what the rate depends on.
    """

    def scheduled() -> Tensor:
        with name_scope(name, default_name) as scope:
            start = convert_to_tensor(learning_rate, name="initial_learning_rate")
            return rate(scope, start, *(cast(number, start.dtype) for number in numbers))

    return scheduled if stacks.executing_eagerly() else scheduled()


def _passed(step: Any, steps: Any, staircase: bool) -> Any:
    """The part of the steps that has passed, which grows in whole numbers on a staircase."""
    return math.floor(step / steps) if staircase else step / steps


def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate * decay_rate ^ (global_step / decay_steps).

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a number, tensor or variable.
      decay_steps: after so many steps the rate has been multiplied by `decay_rate` once.
      decay_rate: the factor.
      staircase: round the exponent down, so that the rate falls in steps.
      name: the name of the result; "ExponentialDecay" by default.
    Example:
      >>> rate = tf.train.exponential_decay(0.1, 200, decay_steps=100, decay_rate=0.5)
      >>> sess.run(rate).round(4)
      0.025
    """

    def rate(scope: str, start: Any, steps: Any, factor: Any, step: Any) -> Tensor:
        exponent = _passed(step, steps, staircase)
        return math.multiply(start, math.pow(factor, exponent, name="Pow"), name=scope)

    numbers = (decay_steps, decay_rate, global_step)
    return _schedule(name, "ExponentialDecay", rate, learning_rate, *numbers)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate * exp(-decay_rate * global_step / decay_steps); see `exponential_decay`."""
    factor = math.exp(math.negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase, name)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate / (1 + decay_rate * global_step / decay_steps); see `exponential_decay`."""

    def rate(scope: str, start: Any, steps: Any, factor: Any, step: Any) -> Tensor:
        passed = _passed(step, steps, staircase)
        one, slower = cast(1, start.dtype), math.multiply(factor, passed, name="Mul")
        return math.truediv(start, math.add(one, slower, name="Add"), name=scope)

    numbers = (decay_steps, decay_rate, global_step)
    return _schedule(name, "InverseTimeDecay", rate, learning_rate, *numbers)


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Any:
    """values[0] up to boundaries[0], values[1] up to boundaries[1], and so on.

    Args:
      x: the step, a scalar.
      boundaries: increasing numbers of the type of `x`.
      values: one more than the boundaries.
      name: the name scope; "PiecewiseConstant" by default.
    Raises:
      ValueError: when the lengths or types do not fit.
    Example:
      >>> step = tf.constant(1500)
      >>> sess.run(tf.train.piecewise_constant(step, [1000, 5000], [0.1, 0.01, 0.001]))
      0.01
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def rate() -> Tensor:
        edges = [convert_to_tensor(b) for b in boundaries]
        levels = [convert_to_tensor(v) for v in values]
        step = convert_to_tensor(x)
        for i, edge in enumerate(edges):
            if edge.dtype.is_integer and step.dtype.is_integer:
                edges[i] = edge = cast(edge, step.dtype.base_dtype)
            if edge.dtype.base_dtype != step.dtype.base_dtype:
                raise ValueError(
                    f"Boundaries ({edge.dtype}) must have the same dtype as x "
                    f"({step.dtype.base_dtype})."
                )
        for level in levels[1:]:
            if level.dtype.base_dtype != levels[0].dtype.base_dtype:
                raise ValueError(
                    f"Values must have elements all with the same dtype ({levels[0].dtype} vs "
                    f"{level.dtype})."
                )
        with name_scope(name, "PiecewiseConstant"):
            passed = cast(greater(step, stack(edges)), int32)
            return gather(stack(levels), reduce_sum(passed))

    return rate if stacks.executing_eagerly() else rate()


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """From learning_rate to end_learning_rate in decay_steps, along (1 - step / decay_steps)^power.

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a number, tensor or variable.
      decay_steps: when the end is reached.
      end_learning_rate: the rate from then on.
      power: 1 for a straight line.
      cycle: start again above the end, with a longer decay, each time the end is reached.
      name: the name of the result; "PolynomialDecay" by default.
    """

    def rate(scope: str, start: Any, end: Any, exponent: Any, step: Any, steps: Any) -> Tensor:
        if cycle:
            rounds = where(equal(step, 0), cast(1, start.dtype), math.ceil(step / steps))
            steps = math.multiply(steps, rounds, name="Mul")
        else:
            step = math.minimum(step, steps)
        left = math.pow(1 - step / steps, exponent, name="Pow")
        return math.add(math.multiply(start - end, left, name="Mul"), end, name=scope)

    numbers = (end_learning_rate, power, global_step, decay_steps)
    return _schedule(name, "PolynomialDecay", rate, learning_rate, *numbers)


# ---- cosines -----------------------------------------------------------------------------


def _wave(passed: Any, dtype: Any) -> Any:
    """(1 + cos(pi * passed)) / 2: from 1 to 0 while `passed` goes from 0 to 1."""
    pi = convert_to_tensor(python_math.pi, dtype, name="Const")
    return 0.5 * (1.0 + math.cos(pi * passed))


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """From learning_rate to alpha * learning_rate in decay_steps, along half a cosine wave.

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a number, tensor or variable.
      decay_steps: when the end is reached.
      alpha: the part of the rate that is left.
      name: the name scope; "CosineDecay" by default.
    """

    def rate(scope: str, start: Any, steps: Any, step: Any) -> Tensor:
        passed = math.minimum(step, steps) / steps
        left = (1 - alpha) * _wave(passed, start.dtype) + alpha
        return math.multiply(start, left)

    return _schedule(name, "CosineDecay", rate, learning_rate, decay_steps, global_step)

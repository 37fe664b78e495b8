"""How far one number is from another: what `tf.losses` and Keras reduce, each in its own way."""

from __future__ import annotations

from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import add, div_no_nan, minimum, multiply, squared_difference, subtract
from minitf.core.ops.reductions import reduce_sum


def absolute_error(truth: Tensor, guess: Tensor) -> Tensor:
    """|guess - truth|."""
    return absolute(subtract(guess, truth))


def squared_error(truth: Tensor, guess: Tensor) -> Tensor:
    """(guess - truth)^2."""
    return squared_difference(guess, truth)


def huber(truth: Tensor, guess: Tensor, delta: Any) -> Tensor:
    """Half the square up to a distance of `delta`, a line beyond."""
    distance = absolute_error(truth, guess)
    quadratic = minimum(distance, delta)
    linear = subtract(distance, quadratic)
    return add(multiply(0.5, multiply(quadratic, quadratic)), multiply(delta, linear))


def smooth(labels: Tensor, amount: Any, classes: Any) -> Tensor:
    """Labels pulled by `amount` towards the even distribution over the classes."""
    return labels * (1.0 - amount) + amount / classes


def safe_mean(losses: Tensor, count: Tensor) -> Tensor:
    """The total, divided by the count; 0 when there is none."""
    return div_no_nan(reduce_sum(losses), count, name="value")

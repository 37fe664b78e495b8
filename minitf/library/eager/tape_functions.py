"""Gradients of functions, as `tf.contrib.eager` has them: a function in, a function out.

gradients_function(f)(x, y)     the derivatives of f(x, y) with respect to its arguments
implicit_gradients(f)(x, y)     and with respect to the variables that f reads
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitf.core.gradients.tape import GradientTape


def _checked(result: Any, f: Callable) -> Any:
    """What `f` returned, which must be something."""
    if result is None:
        raise ValueError(
            "Cannot differentiate a function that returns None; did you forget to return a value "
            f"from {f.__name__}?"
        )
    return result


def _second(both: Callable) -> Callable:
    """The function that returns only the second of what `both` returns."""

    @functools.wraps(both)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return both(*args, **kwargs)[1]

    return decorated


def implicit_value_and_gradients(f: Callable) -> Callable:
    """A function that returns `f(...)` and `[(gradient, variable), ...]` of what `f` reads.

    Raises:
      ValueError: when `f` reads no trainable variable, or returns None.
    Example:
      >>> tf.enable_eager_execution()
      >>> W, optimizer = tf.Variable(1.0), tf.train.GradientDescentOptimizer(0.1)
      >>> loss_of = tf.contrib.eager.implicit_value_and_gradients(lambda x: tf.square(W * x))
      >>> loss, grads_and_vars = loss_of(3.0)
      >>> optimizer.apply_gradients(grads_and_vars)
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            result = _checked(f(*args, **kwargs), f)
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being computed."
            )
        return result, list(zip(tape.gradient(result, variables), variables, strict=True))

    return decorated


def implicit_gradients(f: Callable) -> Callable:
    """A function that returns `[(gradient, variable), ...]` of the variables that `f` reads.

    See `implicit_value_and_gradients`.
    """
    return _second(implicit_value_and_gradients(f))

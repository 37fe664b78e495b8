"""Gradients of functions, as `tf.contrib.eager` has them: a function in, a function out.

gradients_function(f)(x, y)     the derivatives of f(x, y) with respect to its arguments
implicit_gradients(f)(x, y)     and with respect to the variables that f reads
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.ops.array import identity


def _places(f: Callable, params: Sequence[Any] | None, args: Sequence[Any]) -> list[int]:
    """The positions of the arguments to differentiate by."""
    if params is None:
        return list(range(len(args)))
    names = list(inspect.signature(f).parameters)
    places = []
    for each in params:
        if isinstance(each, str):
            if each not in names:
                raise ValueError(f"params must be in the argspec of f: {each!r} is not.")
            places.append(names.index(each))
        elif isinstance(each, int):
            places.append(each)
        else:
            raise ValueError("params must be all strings or all integers; got " + str(params))
    return places


def _as_tensors(value: Any) -> Any:
    """The value as a tensor; a structure that cannot be one, with tensors as its leaves."""
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError):
        return nest.map_structure(convert_to_tensor, value)


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


def value_and_gradients_function(f: Callable, params: Sequence[Any] | None = None) -> Callable:
    """A function that returns `f(*args)` and its derivatives by the arguments.

    Args:
      f: returns a tensor.
      params: names or positions of the arguments; all when None.
    Raises:
      ValueError: when `f` has no such argument, or returns None.
    Example:
      >>> tf.enable_eager_execution()
      >>> y, [dy] = tf.contrib.eager.value_and_gradients_function(lambda x: x * x)(3.0)
      >>> float(y), float(dy)
      (9.0, 6.0)
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        dy = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError(
                f"Functions to be differentiated cannot receive keyword arguments: {kwargs}"
            )
        result, gradients = make_vjp(f, params, persistent=False)(*args)
        return _checked(result, f), gradients(dy)

    return decorated


val_and_grad_function = value_and_gradients_function


def gradients_function(f: Callable, params: Sequence[Any] | None = None) -> Callable:
    """A function that returns the derivatives of `f(*args)` by the arguments.

    See `value_and_gradients_function`.
    """
    return _second(value_and_gradients_function(f, params))


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


implicit_val_and_grad = implicit_value_and_gradients


def make_vjp(f: Callable, params: Sequence[Any] | None = None, persistent: bool = True) -> Callable:
    """A function that returns `f(*args)` and the function from its gradient to the arguments'.

    Args:
      f: returns a tensor.
      params: names or positions of the arguments; all when None.
      persistent: whether that function may be called more than once.
    """

    @functools.wraps(f)
    def decorated(*args: Any) -> tuple[Any, Callable]:
        places = _places(f, params, args)
        given = list(args)
        for place in places:
            given[place] = _as_tensors(given[place])
        seen: set[int] = set()
        for place in places:  # one tensor in two places has a derivative by each
            if id(given[place]) in seen:
                given[place] = nest.map_structure(identity, given[place])
            seen.add(id(given[place]))
        sources = [given[place] for place in places]
        tape = GradientTape(persistent=persistent)
        with tape:
            tape.watch(sources)
            result = f(*given)

        def vjp(dy: Any = None) -> Any:
            return tape.gradient(result, sources, dy)

        return result, vjp

    return decorated

"""`tensorflow.python.ops.gradient_checker_v2`: gradients of a function beside differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.compat.testing import gradient_checker
from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import stacks
from minitf.core.graph.convert import as_array, constant, convert_to_tensor
from minitf.core.runtime.session.session import Session


def compute_gradient(
    f: Callable, x: Sequence[Any], delta: float | None = None
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Computes the Jacobians of `f` by each of its arguments in both ways.

    Args:
      f: a function of tensors.
      x: where: one array for each argument.
      delta: half the step of the differences; 1/1024 by default.
    Returns: theoretical and numeric Jacobians, each [size of f(x), size of the argument].
    Raises:
      ValueError: when x is no list.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError("`x` must be a list or tuple of values convertible to a Tensor")
    delta = delta or 1 / 1024
    if stacks.executing_eagerly():
        pairs = _eagerly(f, [as_array(_value(each, None)) for each in x], delta)
    else:
        pairs = _in_a_graph(f, x, delta)
    return tuple(pair[0].T for pair in pairs), tuple(pair[1].T for pair in pairs)


def _in_a_graph(f: Callable, x: Sequence[Any], delta: float) -> Any:
    graph, session = stacks.get_default_graph(), stacks.get_default_session()
    if session is None or session.graph is not graph:
        session = Session(graph=graph)
    values = [as_array(_value(each, session)) for each in x]
    with session.as_default():
        inputs = [constant(value) for value in values]
        y, shapes = f(*inputs), [value.shape for value in values]
        return gradient_checker.compute_gradient(
            inputs, shapes, y, y.shape.as_list(), values, delta
        )


def _value(x: Any, session: Session | None) -> Any:
    if hasattr(x, "numpy"):
        return x.numpy()
    return session.run(x) if session is not None and hasattr(x, "graph") else x


def _eagerly(f: Callable, values: list[np.ndarray], delta: float) -> list[Any]:
    """The same where operations run at once: a tape for one kind, calls of `f` for the other."""
    zeros = np.zeros_like(f(*map(constant, values)).numpy())
    pairs = []
    for i, start in enumerate(values):

        def value(moved: np.ndarray, i: int = i) -> Any:
            return f(*map(constant, [*values[:i], moved, *values[i + 1 :]])).numpy()

        def gradient(dy: np.ndarray, i: int = i) -> Any:
            inputs = [constant(each) for each in values]
            with GradientTape() as tape:
                tape.watch(inputs[i])
                y = f(*inputs)
            dx = tape.gradient(y, inputs[i], output_gradients=constant(dy))
            return None if dx is None else np.array(convert_to_tensor(dx))

        pairs.append(gradient_checker.jacobians(start, zeros, gradient, value, delta))
    return pairs


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference between Jacobians."""
    return max((float(np.abs(a - b).max()) for a, b in zip(grad1, grad2) if a.size), default=0.0)

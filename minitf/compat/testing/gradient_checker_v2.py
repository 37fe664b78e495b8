"""`tensorflow.python.ops.gradient_checker_v2`: gradients of a function beside differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.compat.testing import gradient_checker
from minitf.compat.testing.gradient_checker import reals, view_of_reals
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
        return _eagerly(f, [as_array(_value(each, None)) for each in x], delta)
    graph, session = stacks.get_default_graph(), stacks.get_default_session()
    if session is None or session.graph is not graph:
        session = Session(graph=graph)
    values = [as_array(_value(each, session)) for each in x]
    with session.as_default():
        inputs = [constant(value) for value in values]
        y = f(*inputs)
        shapes = [value.shape for value in values]
        pairs = gradient_checker.compute_gradient(
            inputs, shapes, y, y.shape.as_list(), values, delta
        )
    return tuple(pair[0].T for pair in pairs), tuple(pair[1].T for pair in pairs)


def _value(x: Any, session: Session | None) -> Any:
    if hasattr(x, "numpy"):
        return x.numpy()
    return session.run(x) if session is not None and hasattr(x, "graph") else x


def _eagerly(f: Callable, values: list[np.ndarray], delta: float) -> tuple[tuple, tuple]:
    """The same where operations run at once: a tape for one kind, calls of `f` for the other."""
    size = reals(f(*map(constant, values)).numpy()).size
    found: tuple[list, list] = ([], [])
    for i, start in enumerate(values):
        theoretical = np.zeros((size, reals(start).size), reals(start).dtype)
        numeric = np.zeros_like(theoretical)
        for row in range(size):
            inputs = [constant(value) for value in values]
            with GradientTape() as tape:
                tape.watch(inputs[i])
                y = f(*inputs)
            dy = np.zeros(y.shape.as_list(), y.dtype.as_numpy_dtype)
            view_of_reals(dy)[row] = 1
            dx = tape.gradient(y, inputs[i], output_gradients=constant(dy))
            if dx is not None:
                theoretical[row] = reals(np.array(convert_to_tensor(dx)))
        for column in range(theoretical.shape[1] if size else 0):
            ends = []
            for step in (delta, -delta):
                moved = start.copy()
                view_of_reals(moved)[column] += step
                parts = [*values[:i], moved, *values[i + 1 :]]
                ends.append(reals(f(*map(constant, parts)).numpy()))
            numeric[:, column] = (ends[0] - ends[1]) / (2 * delta)
        found[0].append(theoretical)
        found[1].append(numeric)
    return tuple(found[0]), tuple(found[1])


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference between Jacobians."""
    return max((float(np.abs(a - b).max()) for a, b in zip(grad1, grad2) if a.size), default=0.0)

"""`tensorflow.python.ops.gradient_checker_v2`: gradients of a function beside differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.framework import stacks
from minitf.framework.convert import as_array, constant
from minitf.framework.graph import Graph
from minitf.runtime.session import Session
from minitf.testing import gradient_checker


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
    graph = Graph() if stacks.executing_eagerly() else stacks.get_default_graph()
    session = stacks.get_default_session()
    if session is None or session.graph is not graph:
        session = Session(graph=graph)
    values = [as_array(_value(each, session)) for each in x]
    with graph.as_default(), session.as_default():
        inputs = [constant(value) for value in values]
        y = f(*inputs)
        shapes = [value.shape for value in values]
        pairs = gradient_checker.compute_gradient(
            inputs, shapes, y, y.shape.as_list(), values, delta or 1 / 1024
        )
    return tuple(pair[0].T for pair in pairs), tuple(pair[1].T for pair in pairs)


def _value(x: Any, session: Session) -> Any:
    if hasattr(x, "numpy"):
        return x.numpy()
    return session.run(x) if hasattr(x, "graph") else x


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference between Jacobians."""
    return max((float(np.abs(a - b).max()) for a, b in zip(grad1, grad2) if a.size), default=0.0)

"""`tensorflow.python.ops.gradient_checker_v2`: gradients of a function beside differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
    values = [as_array(each.numpy() if hasattr(each, "numpy") else each) for each in x]
    with Graph().as_default(), Session():
        inputs = [constant(value) for value in values]
        y = f(*inputs)
        shapes = [value.shape for value in values]
        pairs = gradient_checker.compute_gradient(
            inputs, shapes, y, y.shape.as_list(), values, delta or 1 / 1024
        )
    return tuple(pair[0].T for pair in pairs), tuple(pair[1].T for pair in pairs)


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference between Jacobians."""
    return max((float(np.abs(a - b).max()) for a, b in zip(grad1, grad2) if a.size), default=0.0)

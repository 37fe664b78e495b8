"""`tf.test.compute_gradient`: the gradient that the graph derives, beside that of differences.

theoretical[i, j] = d y_j / d x_i    by tf.gradients, one output at a time
numeric[i, j]     = (y_j(x + delta e_i) - y_j(x - delta e_i)) / (2 delta)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.gradients.gradients import gradients
from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict | None = None,
) -> Any:
    """Computes the Jacobian of `y` by `x` in both ways, in the default session.

    Args:
      x: a tensor, or a list of them.
      x_shape: the sizes of `x`, or a list of them.
      y: the tensor to derive.
      y_shape: the sizes of `y`.
      x_init_value: where; random by default. A list for a list.
      delta: half the step of the difference.
      init_targets: operations to run first, as initializers.
      extra_feed_dict: fed beside `x`.
    Returns: theoretical and numeric Jacobian, [size of x, size of y]; a list of pairs for a list. A
      complex number counts as two.
    Raises:
      ValueError: when the shape of x_init_value is not x_shape.
    """
    session = stacks.get_default_session()
    if session is None:
        raise ValueError("Cannot compute the gradient: No default session is registered.")
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            session.run(target)
    if not isinstance(x, (list, tuple)):
        return _pair(session, x, x_shape, y, y_shape, x_init_value, delta, extra_feed_dict or {})
    starts = x_init_value or [None] * len(x)
    starts = [_start(a, b, c) for a, b, c in zip(x, x_shape, starts, strict=True)]
    fed = {**(extra_feed_dict or {}), **dict(zip(map(_tensor, x), starts, strict=True))}
    return [
        _pair(session, a, b, y, y_shape, c, delta, fed)
        for a, b, c in zip(x, x_shape, starts, strict=True)
    ]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict | None = None,
) -> float:
    """Returns the largest difference between the two Jacobians of `compute_gradient`.

    Args: those of `compute_gradient`.
    """
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    error = 0.0
    for theoretical, numeric in [found] if isinstance(found, tuple) else found:
        if theoretical.size or numeric.size:
            error = max(error, float(np.fabs(theoretical - numeric).max()))
    return error


def _tensor(x: Any) -> Tensor:
    return convert_to_tensor(x)


def _start(x: Any, shape: Any, value: Any) -> np.ndarray:
    shape, dtype = tuple(int(n) for n in shape), _tensor(x).dtype.base_dtype.as_numpy_dtype
    if value is None:
        value = np.random.random_sample(shape)  # noqa: NPY002  (a TestCase seeds it)
        if np.issubdtype(dtype, np.complexfloating):
            value = value + 1j * np.random.random_sample(shape)  # noqa: NPY002
    value = np.array(value, dtype)
    if value.shape != shape:
        raise ValueError(f"x_init_value has shape {value.shape}, x_shape is {shape}")
    return value


def reals(value: np.ndarray) -> np.ndarray:
    """The numbers of an array in a row; a complex one is its two parts."""
    value = np.ascontiguousarray(value)
    if value.dtype.kind == "c":
        value = value.view(value.real.dtype)
    return value.reshape(-1)


def _pair(
    session: Any, x: Any, x_shape: Any, y: Tensor, y_shape: Any, start: Any, delta: float, fed: dict
) -> tuple[np.ndarray, np.ndarray]:
    start, x = _start(x, x_shape, start), _tensor(x)
    dy = placeholder(y.dtype.base_dtype, shape=y_shape)
    dx = gradients(y, x, grad_ys=dy)[0]
    if isinstance(dx, IndexedSlices):
        dx = convert_to_tensor(dx)
    return jacobians(
        start,
        np.zeros([int(n) for n in y_shape], y.dtype.base_dtype.as_numpy_dtype),
        lambda chosen: None if dx is None else session.run(dx, {**fed, x: start, dy: chosen}),
        lambda moved: session.run(y, {**fed, x: moved}),
        delta,
    )


def jacobians(
    start: np.ndarray,
    zeros: np.ndarray,
    gradient: Callable[[np.ndarray], Any],
    value: Callable[[np.ndarray], Any],
    delta: float,
) -> tuple[np.ndarray, np.ndarray]:
    """The Jacobian of a function by its gradients, and by differences.

    Args:
      start: where.
      zeros: of the shape and type of the function's value.
      gradient: from the derivative by the value to that by the argument, or None.
      value: the function.
      delta: half the step of the difference.
    """
    theoretical = np.zeros((reals(start).size, reals(zeros).size), reals(start).dtype)
    numeric = np.zeros_like(theoretical)
    for column in range(theoretical.shape[1] if start.size else 0):
        found = gradient(_moved(zeros, column, 1))
        if found is None:
            break
        theoretical[:, column] = reals(np.asarray(found))
    for row in range(numeric.shape[0] if zeros.size else 0):
        ends = [
            reals(value(_moved(start, row, step))).astype(numeric.dtype) for step in (delta, -delta)
        ]
        numeric[row] = (ends[0] - ends[1]) / (2 * delta)
    return theoretical, numeric


def _moved(value: np.ndarray, place: int, step: float) -> np.ndarray:
    """A copy with a step added to one of its real numbers."""
    moved = value.copy()
    parts = moved.reshape(-1)
    parts = parts.view(moved.real.dtype) if moved.dtype.kind == "c" else parts
    parts[place] += step
    return moved

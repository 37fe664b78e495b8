"""Kernels of whole arrays: sums and extremes over axes, products of matrices, and softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels.rows import within
from minitf.core.kernels.table import kernel
from minitf.core.kernels.updates import apply_gradient_descent

# ---- sums and extremes -------------------------------------------------------------------

_FEW = 4096  # elements: calling NumPy's sum takes longer than adding them up
_ONES = {np.dtype(kind): np.ones(_FEW, kind) for kind in "fd"}


@kernel()
def reduced(xp: Any, kind: str, x: Any, axis: tuple[int, ...] | None, keep_dims: bool) -> Any:
    """Reduces an array over axes.

    Args:
      xp: NumPy or CuPy.
      kind: "sum", of the type of `x`; "max" or "min", of at least one element.
      x: any array.
      axis: the axes; None: all.
      keep_dims: whether they stay, with size 1.
    """
    if kind == "sum":
        return x.sum(axis=axis, dtype=x.dtype, keepdims=keep_dims)
    return (x.max if kind == "max" else x.min)(axis=axis, keepdims=keep_dims)


@kernel()
def sum_of_rows(xp: Any, matrix: Any) -> Any:
    """The sum of the rows of a matrix."""
    return matrix.sum(0, dtype=matrix.dtype)


@kernel(
    compiled="reductions", takes=lambda x: x.ndim == 1 and x.dtype.isbuiltin and x.dtype.kind == "f"
)
def sum_of_many(xp: Any, x: Any) -> Any:
    """The sum of a vector of floats that is too large for the caches."""
    return x.sum(dtype=x.dtype)


def total(xp: Any, x: Any) -> Any:
    """The sum of all elements; of a few, BLAS finds it in half the time."""
    ones = _ONES.get(x.dtype) if x.size <= _FEW and isinstance(x, np.ndarray) else None
    return reduced(xp, "sum", x, None, False) if ones is None else ones[: x.size].dot(x.ravel())


# ---- products ----------------------------------------------------------------------------
#
# Products of matrices, and one that is taken off where it belongs.
#
# gradient = X.T @ G;  W -= rate * gradient        a product, and two or three passes over it
# W -= rate * X.T @ G                              one product: BLAS adds to what is there


def _fit(a: Any, b: Any) -> bool:
    return a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]


@kernel(compiled="matmul", takes=_fit)
def product(xp: Any, a: Any, b: Any) -> Any:
    """a @ b, of two matrices."""
    return xp.matmul(a, b)


@kernel(
    takes=lambda target, a, b, rate: (
        _fit(a, b) and target.shape == (len(a), b.shape[1]) and target.dtype == a.dtype == b.dtype
    )
)
def subtract_product(xp: Any, target: Any, a: Any, b: Any, rate: Any) -> None:
    """target -= rate * a @ b, in place; all are matrices of one type."""
    change = product(xp, a, b)
    apply_gradient_descent.whole(xp, [target], change, (rate,), {"out": change})


# ---- softmax -----------------------------------------------------------------------------
#
# The arithmetic of softmax: over rows, its logarithm, and the two cross entropies.
#
#     exp(x) / sum(exp(x))  =  exp(x - largest) / sum(exp(x - largest))
#
# The largest of each row is subtracted first, so that no exponential overflows.


def _shifted(logits: Any) -> Any:
    """The logits, less the largest of each row: a fresh array to overwrite."""
    return logits - logits.max(axis=-1, keepdims=True) if logits.size else logits.copy()


def _are_rows(logits: Any) -> bool:
    return logits.ndim > 0 and logits.size > 0 and logits.dtype.kind == "f"


def _are_alike(logits: Any, labels: Any) -> bool:
    same = labels.shape == logits.shape and labels.dtype == logits.dtype
    return same and logits.ndim == 2 and _are_rows(logits)


@kernel(compiled="softmax", takes=_are_rows)
def softmax(xp: Any, logits: Any) -> Any:
    """exp(logits) divided by its sum over the last axis."""
    exponentials = xp.exp(_shifted(logits))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@kernel(compiled="softmax", takes=_are_rows)
def log_softmax(xp: Any, logits: Any) -> Any:
    """The logarithm of the softmax over the last axis."""
    shifted = _shifted(logits)
    return shifted - xp.log(xp.exp(shifted).sum(axis=-1, keepdims=True))


@kernel(compiled="softmax", takes=_are_alike)
def softmax_cross_entropy(xp: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    """The cross entropy of `labels` and softmax of `logits`, and its gradient by the logits.

    Args:
      logits: [rows, classes].
      labels: [rows, classes] of the same type: a distribution in each row.
    Returns: loss [rows], gradient [rows, classes].
    """
    shifted = _shifted(logits)
    exponentials = xp.exp(shifted)
    total = exponentials.sum(axis=1, keepdims=True)
    loss = ((xp.log(total) - shifted) * labels).sum(axis=1)
    return loss, exponentials / total - labels


@kernel(
    compiled="softmax",
    takes=lambda logits, labels: (
        logits.ndim == 2
        and _are_rows(logits)
        and labels.shape == logits.shape[:1]
        and within(labels, logits.shape[1])
    ),
)
def sparse_softmax_cross_entropy(xp: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    """The negative log-probability of each row's class, and its gradient by the logits.

    Args:
      logits: [rows, classes].
      labels: [rows] integers in [0, classes).
    Returns: loss [rows], gradient [rows, classes].
    """
    shifted, chosen = _shifted(logits), (xp.arange(logits.shape[0]), labels)
    exponentials = xp.exp(shifted)
    total = exponentials.sum(axis=1, keepdims=True)
    backprop = exponentials / total
    backprop[chosen] -= 1
    return xp.log(total.ravel()) - shifted[chosen], backprop

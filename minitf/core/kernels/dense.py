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
    """The sum of all elements; BLAS sums few of them in half the time."""
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


# ---- error function ----------------------------------------------------------------------

_ERF = np.array(
    [
        (
            1.9867868559231283e-06,
            0.0002845667186193168,
            0.0038833676371723413,
            0.0531018041074276,
            0.19354555010795593,
            1.1283791065216064,
        ),
        (
            3.74202209059149e-05,
            0.0011855775956064463,
            0.01520729623734951,
            0.11535017192363739,
            0.5048578381538391,
            1.0,
        ),
    ],
    np.float32,
)


def erf(x: Any, out: Any = None, xp: Any = np) -> Any:
    """The error function in single precision: x P(x^2) / Q(x^2), its argument between -4 and 4.

    Args:
      x: float32.
      out: where to write it.
      xp: NumPy or CuPy.
    """
    limit = xp.full_like(x, 4)  # as an array: with a number, minimum takes five times as long
    clipped = xp.minimum(x, limit, out=xp.empty_like(x))
    xp.negative(limit, limit)
    xp.maximum(clipped, limit, out=clipped)
    square = xp.square(clipped, xp.empty_like(x))
    parts = []
    for first, *others, last in _ERF:
        value = xp.multiply(square, first, xp.empty_like(x))
        for number in others:
            xp.add(value, number, value)
            xp.multiply(value, square, value)
        parts.append(xp.add(value, last, value))
    xp.multiply(clipped, parts[0], clipped)
    result = xp.divide(clipped, parts[1], clipped if out is None else out)
    limit.fill(1)
    xp.minimum(result, limit, out=result)
    xp.negative(limit, limit)
    return xp.maximum(result, limit, out=result)

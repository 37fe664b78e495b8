"""The arithmetic of softmax: over rows, its logarithm, and the two cross entropies.

    exp(x) / sum(exp(x))  =  exp(x - largest) / sum(exp(x - largest))

The largest of each row is subtracted first, so that no exponential overflows.
"""

from __future__ import annotations

from typing import Any

from minitf.core.kernels.rows import within
from minitf.core.kernels.table import kernel


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

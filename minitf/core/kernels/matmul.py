"""Products of matrices, and one that is taken off where it belongs.

gradient = X.T @ G;  W -= rate * gradient        a product, and two or three passes over it
W -= rate * X.T @ G                              one product: BLAS adds to what is there
"""

from __future__ import annotations

from typing import Any

from minitf.core.kernels.table import kernel
from minitf.core.kernels.updates import apply_gradient_descent


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

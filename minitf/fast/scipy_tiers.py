"""The third tier of the table: kernels that SciPy's BLAS and sparse products make faster."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels.dense import subtract_product
from minitf.core.kernels.rows import scatter_rows
from minitf.core.kernels.threads import count
from minitf.core.kernels.updates import WORTH_BLOCKS, apart, apply_adam, in_blocks
from minitf.fast.blocks.products import WORTH_SPLITTING
from minitf.fast.loader import optional

_LONGEST = 192  # numbers in a sum: from there on NumPy's newer BLAS gains more than passes cost
_WORTH_SCIPY = 16  # rows: below, the sort takes no longer
_SCIPY_TYPES = "fdlqiIFD"  # NumPy's one-letter names of the types that SciPy's loop knows


@subtract_product.tier("scipy")
def _(target: Any, a: Any, b: Any, rate: Any) -> Any:
    if not 0 < a.shape[1] <= _LONGEST or target.dtype.char not in "fd" or not rate:
        return NotImplemented
    if not target.flags.c_contiguous or not target.size:
        return NotImplemented
    if a.size * b.shape[1] >= WORTH_SPLITTING and count() > 1:
        return NotImplemented
    if np.may_share_memory(a, target) or np.may_share_memory(b, target):
        return NotImplemented
    blas = optional("scipy.linalg._fblas")
    if blas is None:
        return NotImplemented
    gemm = blas.sgemm if target.dtype.char == "f" else blas.dgemm
    # It sees columns where NumPy sees rows: target.T -= rate * b.T @ a.T
    turn_a, turn_b = not a.flags.c_contiguous, not b.flags.c_contiguous
    left, right = b if turn_b else b.T, a if turn_a else a.T
    gemm(-rate, left, right, 1.0, target.T, turn_b, turn_a, 1)
    return None


@scatter_rows.tier("scipy")
def _(target: Any, indices: Any, rows: Any, subtract: bool) -> Any:
    """target += sign * M @ rows, where column i of M has its 1 in row indices[i]."""
    length = indices.size
    if length < _WORTH_SCIPY or target.ndim == 1 or target.dtype.char not in _SCIPY_TYPES:
        return NotImplemented
    if not target.flags.c_contiguous:
        return NotImplemented
    tools = optional("scipy.sparse._sparsetools")
    if tools is None:
        return NotImplemented
    columns = np.arange(length + 1, dtype=indices.dtype)
    signs = np.full(length, -1 if subtract else 1, target.dtype)
    width = target.size // len(target)
    if width:
        tools.csc_matvecs(
            len(target),
            length,
            width,
            columns,
            indices,
            signs,
            np.ascontiguousarray(rows).reshape(-1),
            target.reshape(-1),
        )
    return None


@apply_adam.whole.tier("scipy")
def _(targets: Any, grad: Any, rates: Any, attrs: dict) -> Any:
    """With BLAS, which scales and adds in one pass."""
    kind = grad.dtype.char
    arrays = (*targets, grad)
    if kind not in "fd" or grad.size < WORTH_BLOCKS or attrs.get("use_nesterov"):
        return NotImplemented
    if not all(a.flags.c_contiguous for a in arrays):
        return NotImplemented
    beta1_power, beta2_power, lr, beta1, beta2, epsilon = rates
    blas = optional("scipy.linalg._fblas") if lr and beta1 != 1 and beta2 != 1 else None
    if blas is None:
        return NotImplemented
    axpy = blas.saxpy if kind == "f" else blas.daxpy

    def run(blocks: Any) -> None:
        for block in blocks:
            w, m, v, g = (array.reshape(-1) for array in block)
            np.multiply(m, beta1, out=m)
            axpy(g, m, a=1 - beta1)
            np.multiply(v, beta2, out=v)
            t = g * g
            axpy(t, v, a=1 - beta2)
            np.sqrt(v, out=t)
            np.add(t, epsilon, out=t)
            np.divide(m, t, out=t)
            axpy(t, w, a=-lr * np.sqrt(1 - beta2_power) / (1 - beta1_power))

    in_blocks(targets, apart(grad, targets), run)
    return None

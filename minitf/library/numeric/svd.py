"""The singular value decomposition and what rests on it; the matrix exponential.

tensor = u @ diag(s) @ adjoint(v),   s falling and not negative
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_shaping import expand_dims, matrix_transpose
from minitf.core.ops.comparisons import greater, where_v2
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import reciprocal, square, subtract
from minitf.library.numeric.diagonals import eye, matrix_diag, smaller_size

# ---- Svd ---------------------------------------------------------------------------------


@op(
    "Svd",
    "input: T -> s: T, u: T, v: T",
    T=(dtypes.float32, dtypes.float64, *dtypes.COMPLEX),
    samples=[
        lambda rng: (rng.normal(size=(3, 2)), {}),
        lambda rng: (rng.normal(size=(2, 2, 3)), {}),
        lambda rng: (rng.normal(size=(3, 3)), {"full_matrices": True}),
        lambda rng: (rng.normal(size=(3, 2)), {"compute_uv": False}),
    ],
)
def svd_op(xp: Any, input: Any, *, compute_uv: bool = True, full_matrices: bool = False) -> Any:
    """Decomposes matrices into rotations and stretches."""
    if not compute_uv:
        s = _svd(xp, input, compute_uv=False).astype(input.dtype)
        return s, xp.zeros(0, input.dtype), xp.zeros(0, input.dtype)
    u, s, vh = _svd(xp, input, full_matrices=full_matrices)
    v = xp.ascontiguousarray(xp.swapaxes(vh, -1, -2).conj())
    return s.astype(input.dtype), xp.ascontiguousarray(u), v


def _svd(xp: Any, x: Any, **options: bool) -> Any:
    """NumPy's decomposition; a matrix with NaN, which has none, gives NaN and no error."""
    try:
        return xp.linalg.svd(x, **options)
    except np.linalg.LinAlgError:
        without = ~np.isfinite(x).all(axis=(-2, -1))
        parts = np.linalg.svd(np.where(without[..., None, None], 0, x), **options)
        for part in parts if isinstance(parts, tuple) else (parts,):
            part[without] = np.nan
        return parts


@svd_op.shape
def _svd_shape(input: Any, *, compute_uv: bool, full_matrices: bool) -> list:
    shape = input.shape.with_rank_at_least(2)
    batch, m, n = shape[:-2], shape[-2].value, shape[-1].value
    k = smaller_size(m, n)
    if not compute_uv:
        return [batch.concatenate([k]), TensorShape([0]), TensorShape([0])]
    u, v = ([m, m], [n, n]) if full_matrices else ([m, k], [n, k])
    return [batch.concatenate(each) for each in ([k], u, v)]


@svd_op.gradient
def _svd_grad(op: Any, ds: Tensor | None, du: Tensor | None, dv: Tensor | None) -> list:
    """By J. Townsend, "Differentiating the singular value decomposition" (2016)."""
    a = op.inputs[0]
    if a.dtype.is_complex:
        raise NotImplementedError("The gradient of Svd is for real matrices only.")
    m, n = a.shape.as_list()[-2:] if a.shape.ndims else (None, None)
    if op.attrs["full_matrices"] and (m is None or m != n):
        raise NotImplementedError("The gradient of Svd with full_matrices needs square matrices.")
    if op.attrs["compute_uv"]:
        s, u, v = op.outputs
    else:
        s, u, v = svd_op(a)
        du = dv = None
    middle = matrix_diag(ds) if ds is not None else None
    rows = expand_dims(s, -2)
    if du is not None or dv is not None:
        gaps = subtract(square(rows), square(expand_dims(s, -1)))
        unit = eye(shape_of(s)[-1], dtype=a.dtype)
        factor = where_v2(greater(unit, 0.5), zeros_like(gaps), reciprocal(gaps + unit))
        for given, basis, left in ((du, u, True), (dv, v, False)):
            if given is not None:
                turn = matmul(basis, given, transpose_a=True)
                turn = factor * (turn - matrix_transpose(turn))
                part = turn * rows if left else expand_dims(s, -1) * turn
                middle = part if middle is None else middle + part
    if middle is None:
        return [zeros_like(a)]
    whole = matmul(matmul(u, middle), v, transpose_b=True)
    if du is not None:
        rest = du - matmul(u, matmul(u, du, transpose_a=True))
        whole = whole + matmul(rest / rows, v, transpose_b=True)
    if dv is not None:
        rest = dv - matmul(v, matmul(v, dv, transpose_a=True))
        whole = whole + matmul(u, rest / rows, transpose_b=True)
    return [whole]


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """The singular value decomposition: `tensor = u @ diag(s) @ adjoint(v)`.

    Args:
      tensor: [..., m, n].
      full_matrices: whether `u` is [m, m] and `v` [n, n]; otherwise [m, k] and [n, k].
      compute_uv: whether to compute more than `s`.
      name: the name.
    Returns: `(s, u, v)`, `s` [..., k] with k = min(m, n), falling; or `s` alone.
    """
    s, u, v = svd_op(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    if s.dtype.is_complex:
        s = call("Real", s)
    return (s, u, v) if compute_uv else s

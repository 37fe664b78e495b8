"""The singular value decomposition and what rests on it; the matrix exponential.

tensor = u @ diag(s) @ adjoint(v),   s falling and not negative
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, matrix_transpose
from minitf.core.ops.batching import again
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, where_v2
from minitf.core.ops.complex import conj
from minitf.core.ops.elementwise import FLOATING
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import reciprocal, square, subtract
from minitf.core.ops.reductions import reduce_max, reduce_sum
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


@svd_op.batch
def _svd_batch(op: Any, inputs: list, stacked: list) -> Any:
    return again(op, inputs) if op.attrs["compute_uv"] else None


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


def _small(a: Tensor, s: Tensor, rcond: Any) -> Tensor:
    """Below which a singular value counts as 0."""
    if rcond is None:
        sizes = [n or 1 for n in a.shape.as_list()[-2:]]
        rcond = 10.0 * max(sizes) * float(np.finfo(a.dtype.as_numpy_dtype).eps)
    return convert_to_tensor(rcond, s.dtype) * reduce_max(s, axis=-1, keepdims=True)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse of matrices.

    Args:
      a: [..., m, n] float.
      rcond: singular values below this part of the largest count as 0.
      validate_args: accepted.
      name: the name of the scope.
    """
    with name_scope(name, "pinv", [a]):
        a = convert_to_tensor(a, name="a")
        s, u, v = svd(a)
        kept = greater(s, _small(a, s, rcond))
        inverse = where_v2(kept, reciprocal(where_v2(kept, s, zeros_like(s) + 1)), zeros_like(s))
        return matmul(v * expand_dims(inverse, -2), u, adjoint_b=True)


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values of a matrix are not 0, that is, larger than `tol`."""
    with name_scope(name, "matrix_rank", [a]):
        a = convert_to_tensor(a, name="a")
        s = svd(a, compute_uv=False)
        limit = _small(a, s, None) / 10.0 if tol is None else convert_to_tensor(tol, s.dtype)
        return reduce_sum(cast(greater(s, limit), dtypes.int32), axis=-1)


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate of the transposed matrices in the last two axes."""
    with name_scope(name, "adjoint", [matrix]):
        return conj(matrix_transpose(convert_to_tensor(matrix, name="matrix")))


# ---- MatrixExponential -------------------------------------------------------------------

#: the numerator of Padé's approximation of order 13 (N. Higham, 2005)
_PADE = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
    10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
)  # fmt: skip


@op(
    "MatrixExponential",
    "input: T -> output: T",
    T=FLOATING,
    samples=[
        lambda rng: (rng.normal(size=(2, 2)), {}),
        lambda rng: (rng.normal(size=(2, 3, 3)), {}),
    ],
)
def matrix_exponential_op(xp: Any, input: Any) -> Any:
    """Sums the series I + A + A^2 / 2! + ... by scaling, Padé's quotient, and squaring."""
    a = input.astype(np.complex128 if input.dtype.kind == "c" else np.float64)
    largest = float(xp.abs(a).sum(axis=-2).max()) if a.size else 0.0
    if not math.isfinite(largest):
        return xp.full_like(input, np.nan)
    halvings = max(0, math.ceil(math.log2(largest / 5.37))) if largest > 5.37 else 0
    a = a / 2.0**halvings
    unit = xp.eye(a.shape[-1])
    square = a @ a
    even, odd, power = _PADE[0] * unit, _PADE[1] * unit, unit
    for k in range(2, 14, 2):
        power = power @ square
        even = even + _PADE[k] * power
        odd = odd + _PADE[k + 1] * power
    odd = a @ odd
    result = xp.linalg.solve(even - odd, even + odd)
    for _ in range(halvings):
        result = result @ result
    return result.astype(input.dtype)


matrix_exponential_op.shape(lambda input: input.shape.with_rank_at_least(2))


@matrix_exponential_op.gradient
def _matrix_exponential_grad(op: Any, dy: Tensor) -> list:
    """The upper right block of exp([[A', dY], [0, A']])."""
    a = adjoint(op.inputs[0])
    size = shape_of(a)[-1]
    upper = concat([a, dy], -1)
    lower = concat([zeros_like(a), a], -1)
    return [matrix_exponential_op(concat([upper, lower], -2))[..., :size, size:]]


def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponential of square matrices [..., n, n]: I + A + A @ A / 2! + ..."""
    with name_scope(name, "matrix_exponential", [input]):
        return matrix_exponential_op(convert_to_tensor(input, name="input"))

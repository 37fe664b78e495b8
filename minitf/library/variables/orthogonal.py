"""Initializers of matrices that turn or keep, and never stretch: orthogonal ones, the identity."""

from __future__ import annotations

import math
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.graph import Tensor
from minitf.core.ops import random as random_ops
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.math import sign
from minitf.core.variables.initializers import Initializer, float_dtype
from minitf.library.numeric.decompositions import qr
from minitf.library.numeric.diagonals import diag_part, eye
from minitf.library.numeric.products import matrix_transpose


class Orthogonal(Initializer):
    """A matrix with orthonormal rows or columns, whichever are fewer.

    The Q of the QR factorization of a random normal matrix, with the signs of R's diagonal, so that
    every orthogonal matrix is equally likely. Shapes of higher rank are flattened to
    `[all but the last, last]`. Source: Saxe, McClelland and Ganguli, 2013.

    Args:
      gain: a factor on the result.
      seed: see `tf.set_random_seed`.
      dtype: a floating element type.
    """

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.gain = gain
        self.dtype = float_dtype(dtype)
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows = math.prod(int(size) for size in shape[:-1])
        columns = int(shape[-1])
        q = _turn(max(rows, columns), min(rows, columns), dtype or self.dtype, self.seed)
        if rows < columns:
            q = matrix_transpose(q)
        return self.gain * reshape(q, shape)


def _turn(rows: int, columns: int, dtype: Any, seed: int | None) -> Tensor:
    """A random matrix with orthonormal columns."""
    normal = random_ops.random_normal([rows, columns], dtype=dtype, seed=seed)
    q, r = qr(normal, full_matrices=False)
    return q * sign(diag_part(r))


class Identity(Initializer):
    """The identity matrix times `gain`; only for matrices."""

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        self.gain = gain
        self.dtype = float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        whole = shape if partition_info is None else partition_info.full_shape
        if len(whole) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        rows, columns = (int(size) for size in whole)
        matrix = eye(rows, columns, dtype=dtype or self.dtype)
        if partition_info is not None:
            matrix = slice_of(matrix, partition_info.var_offset, shape)
        return self.gain * matrix


orthogonal_initializer = Orthogonal

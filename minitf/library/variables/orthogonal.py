"""Initializers of matrices that turn or keep, and never stretch: orthogonal ones, the identity."""

from __future__ import annotations

import itertools
import math
from functools import reduce
from typing import Any, ClassVar

from minitf.core.graph import dtypes
from minitf.core.graph.graph import Tensor
from minitf.core.ops import random as random_ops
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import matrix_transpose, reshape
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.cast import cast
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import sign
from minitf.core.variables.initializers import Initializer, float_dtype
from minitf.library.numeric.decompositions import qr
from minitf.library.numeric.diagonals import diag_part, eye


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

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


def _turn(rows: int, columns: int, dtype: Any, seed: int | None) -> Tensor:
    """A random matrix with orthonormal columns."""
    normal = random_ops.random_normal([rows, columns], dtype=dtype, seed=seed)
    q, r = qr(normal, full_matrices=False)
    return q * sign(diag_part(r))


class ConvolutionDeltaOrthogonal(Orthogonal):
    """A kernel whose middle is an orthogonal matrix, with zeros around: it keeps lengths.

    Source: Xiao and others, 2018, algorithm 2.

    Args:
      gain: a factor on the result.
      seed: see `tf.set_random_seed`.
      dtype: a floating element type.
    """

    _ranks: ClassVar[tuple[int, ...]] = (3, 4, 5)
    _said = "at least three-dimensional and at most five-dimensional"

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        *sizes, rows, columns = shape = [int(size) for size in shape]
        if len(shape) not in self._ranks:
            raise ValueError(f"The tensor to initialize must be {self._said}")
        if rows > columns:
            raise ValueError("In_filters cannot be greater than out_filters.")
        if len(self._ranks) == 1 and len(set(sizes)) > 1:
            raise ValueError("Kernel sizes must be equal.")
        return self._kernel(sizes, rows, columns, dtype) * cast(self.gain, dtype or self.dtype)

    def _kernel(self, sizes: list[int], rows: int, columns: int, dtype: Any) -> Tensor:
        middle = _turn(columns, columns, dtype or self.dtype, self.seed)[:rows]
        around = [[(size - 1) // 2, size // 2] for size in sizes]
        return pad(reshape(middle, [1] * len(sizes) + [rows, columns]), [*around, [0, 0], [0, 0]])


class _ConvolutionOrthogonal(ConvolutionDeltaOrthogonal):
    """A kernel of equal sizes that keeps the length of what it is convolved with, in a circle.

    It is the convolution of kernels of size 2: along each axis a projection P, then 1 - P.
    Source: Xiao and others, 2018, algorithm 1.

    Args:
      gain: a factor on the result.
      seed: see `tf.set_random_seed`.
      dtype: a floating element type.
    """

    def _kernel(self, sizes: list[int], rows: int, columns: int, dtype: Any) -> Tensor:
        turn = _turn(columns, columns, self.dtype, self._next_seed())[:rows]
        if sizes[0] == 1:
            return reshape(turn, [*sizes, rows, columns])
        blocks = self._block(columns, len(sizes))
        for _ in range(sizes[0] - 2):
            blocks = _convolved(blocks, self._block(columns, len(sizes)))
        parts = [matmul(turn, blocks[place]) for place in sorted(blocks)]
        return reshape(stack(parts), [*sizes, rows, columns])

    def _next_seed(self) -> int | None:
        seed = self.seed
        self.seed = seed + 1 if seed else seed
        return seed

    def _block(self, n: int, rank: int) -> dict[tuple[int, ...], Tensor]:
        """A kernel of size 2: place -> matrix."""
        pairs = []
        for _ in range(rank):
            turn = _turn(n, n, self.dtype, self._next_seed())
            kept = turn * cast(
                random_ops.random_normal([n], seed=self._next_seed()) > 0, self.dtype
            )
            projection = matmul(kept, matrix_transpose(kept))
            pair = [projection, eye(n, dtype=self.dtype) - projection]
            pairs.append(pair if rank < 3 else pair[::-1])
        places = itertools.product((0, 1), repeat=rank)
        return {at: reduce(matmul, [p[i] for p, i in zip(pairs, at, strict=True)]) for at in places}


def _convolved(one: dict, two: dict) -> dict[tuple[int, ...], Tensor]:
    """The convolution of two kernels of matrices."""
    found: dict[tuple[int, ...], Any] = {}
    for (at, a), (there, b) in itertools.product(one.items(), two.items()):
        place = tuple(i + j for i, j in zip(at, there, strict=True))
        found[place] = found[place] + matmul(a, b) if place in found else matmul(a, b)
    return found


class ConvolutionOrthogonal1D(_ConvolutionOrthogonal):
    """Kernels of `conv1d` that keep lengths; its arguments are `gain`, `seed` and `dtype`."""

    _ranks, _said = (3,), "three-dimensional"


class ConvolutionOrthogonal2D(_ConvolutionOrthogonal):
    """Kernels of `conv2d` that keep lengths; its arguments are `gain`, `seed` and `dtype`."""

    _ranks, _said = (4,), "four-dimensional"


class ConvolutionOrthogonal3D(_ConvolutionOrthogonal):
    """Kernels of `conv3d` that keep lengths; its arguments are `gain`, `seed` and `dtype`."""

    _ranks, _said = (5,), "five-dimensional"


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

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "dtype": self.dtype.name}


orthogonal_initializer = Orthogonal

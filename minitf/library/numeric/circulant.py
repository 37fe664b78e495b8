"""Circulant operators: convolutions that go around, of signals, images and volumes.

    LinearOperatorCirculant     each column is the one before, moved down by one and around
    LinearOperatorCirculant2D   blocks that go around, each a circulant matrix
    LinearOperatorCirculant3D   blocks of such blocks

After a Fourier transform, each only multiplies: by its *spectrum*, that of its first column.

    x [..., n, k] ──as blocks──fft──> times the spectrum ──ifft──as columns──> [..., n, k]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import matrix_transpose, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.complex import conj, imag, real
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import log
from minitf.core.ops.reductions import reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum
from minitf.library.checks.assertions import assert_equal, assert_less, assert_positive
from minitf.library.numeric.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from minitf.library.numeric.linear_operator import LinearOperator, hints_of
from minitf.library.numeric.linear_operators import OfVectors

_TRANSFORMS: dict[int, tuple[Callable[..., Tensor], Callable[..., Tensor]]] = {
    1: (fft, ifft),
    2: (fft2d, ifft2d),
    3: (fft3d, ifft3d),
}


class _Circulant(OfVectors):
    """What circulant operators have in common; `_depth` is how deep their blocks are nested."""

    _depth: int

    def __init__(self, spectrum: Any, dtype: Any, given: dict[str, Any], name: str) -> None:
        with name_scope(name):
            self._vectors = convert_to_tensor(spectrum, name="spectrum")
        rank = self._vectors.shape.ndims
        if rank is not None and rank < self._depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {self._depth} dimensions. "
                f"Received: {self._vectors}."
            )
        hints = hints_of(given)
        if not self._vectors.dtype.is_complex:
            if hints["is_self_adjoint"] is False:
                raise ValueError(
                    "A real spectrum always corresponds to a self-adjoint operator. Expected "
                    "argument `is_self_adjoint` to be True when `spectrum.dtype.is_complex` = "
                    f"True. Received: {hints['is_self_adjoint']}."
                )
            hints["is_self_adjoint"] = True
        if hints["is_square"] is False:
            raise ValueError(
                "A [[nested] block] circulant operator is always square. Expected argument "
                f"`is_square` to be True. Received: {hints['is_square']}."
            )
        hints["is_square"] = True
        super().__init__(dtype, [self._vectors], name=name, **hints)

    # ---- its blocks ----------------------------------------------------------------------------

    @property
    def spectrum(self) -> Any:
        """The Fourier transform of the first column, [..., *block_shape]."""
        return self._vectors

    @property
    def block_depth(self) -> int:
        """How deep the blocks are nested; 1 for a circulant matrix."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The shape of what it convolves: the last axes of the spectrum."""
        return self._vectors.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """The shape of what it convolves, as a vector."""
        if self.block_shape.is_fully_defined():
            return constant(self.block_shape.as_list(), dtypes.int32, name="block_shape")
        return shape_of(self._vectors)[-self._depth :]

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """What it convolves with, [..., *block_shape]: the first column."""
        with self._scope(name):
            return cast(_TRANSFORMS[self._depth][1](self._waves()), self._dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """An operation that fails unless the convolution kernel is real."""
        limit = np.finfo(self._dtype.real_dtype.as_numpy_dtype).eps
        kernel = self.convolution_kernel()
        with self._scope(name):
            size = cast(self.domain_dimension_tensor(), self._dtype.real_dtype)
            text = "Spectrum was not Hermitian"
            return assert_less(absolute(imag(kernel)), limit * size, message=text)

    def _shape(self) -> TensorShape:
        if self._vectors.shape.ndims is None:
            return TensorShape(None)
        size = self.block_shape.num_elements()
        return self._vectors.shape[: -self._depth].concatenate([size, size])

    def _shape_tensor(self) -> Any:
        whole = shape_of(self._vectors)
        size = reduce_prod(whole[-self._depth :])
        return concat([whole[: -self._depth], [size, size]], 0)

    # ---- what it does --------------------------------------------------------------------------

    def _waves(self) -> Any:
        """The spectrum as complex numbers."""
        wide = self._vectors.dtype in (dtypes.float64, dtypes.complex128)
        return cast(self._vectors, dtypes.complex128 if wide else dtypes.complex64)

    def _flat(self) -> Any:
        """The spectrum with one axis in place of those of a block: the eigenvalues."""
        if self._depth == 1:
            return self._vectors
        return reshape(self._vectors, concat([shape_of(self._vectors)[: -self._depth], [-1]], 0))

    def _times(self, factor: Any, x: Any) -> Any:
        """The columns of `x`, each times a factor for every wave in it."""
        forward, back = _TRANSFORMS[self._depth]
        rows = cast(matrix_transpose(x), factor.dtype)
        blocks = reshape(rows, concat([shape_of(rows)[:-1], self.block_shape_tensor()], 0))
        over_rows = concat([shape_of(factor)[: -self._depth], [1], self.block_shape_tensor()], 0)
        found = back(reshape(factor, over_rows) * forward(blocks))
        size = reshape(self.shape_tensor()[-1], [1])
        flat = reshape(found, concat([shape_of(found)[: -self._depth], size], 0))
        result = cast(matrix_transpose(flat), self._dtype)
        if x.shape.ndims is not None and self.shape.ndims == x.shape.ndims == 2:
            result.set_shape([self.shape[0], x.shape[1]])
        return result

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        waves = self._waves()
        return self._times(conj(waves) if adjoint else waves, x)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        waves = self._waves()
        return self._times(1.0 / (conj(waves) if adjoint else waves), rhs)

    def _diag_part(self) -> Any:
        mean = cast(reduce_mean(self._flat_waves(), -1), self._dtype)
        return mean[..., None] * ones(self.shape_tensor()[:-1], self._dtype)

    def _flat_waves(self) -> Any:
        flat = self._flat()
        return cast(flat, self._waves().dtype)

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._flat_waves(), -1), self._dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(absolute(self._flat_waves())), -1), self._dtype)

    def _eigvals(self) -> Any:
        return self._flat()

    def _cond(self) -> Any:
        sizes = absolute(self._flat())
        return reduce_max(sizes, -1) / reduce_min(sizes, -1)

    # ---- its relatives -------------------------------------------------------------------------

    def _with(self, spectrum: Any, **known: Any) -> LinearOperator:
        """One of the same kind with another spectrum."""
        kind: Any = type(self)
        operator: LinearOperator = kind(spectrum, self._dtype, **known)
        return operator

    def _known(self) -> dict[str, Any]:
        names = ("is_non_singular", "is_self_adjoint", "is_positive_definite")
        return {name: getattr(self, name) for name in names}

    def _adjoint(self) -> LinearOperator:
        return self._with(conj(self._vectors), **self._known())

    def _inverse(self) -> LinearOperator:
        return self._with(1.0 / self._vectors, **self._known())

    def _compose(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        if isinstance(left, type(self)) and isinstance(right, type(self)):
            return self._with(left.spectrum * right.spectrum)
        return super()._compose(left, right)

    # ---- checks while a step runs --------------------------------------------------------------

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """An operation that fails when a number of the spectrum is 0."""
        with self._scope(name), name_scope("assert_no_entries_with_modulus_zero"):
            sizes = absolute(self._vectors)
            text = "Singular operator:  Spectrum contained zero values."
            return assert_less(convert_to_tensor(0, sizes.dtype), sizes, message=text)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """An operation that fails when a number of the spectrum is not positive."""
        with self._scope(name):
            text = "Not positive definite:  Real part of spectrum was not all positive."
            return assert_positive(real(self._vectors), message=text)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """An operation that fails when a number of the spectrum is not real."""
        with self._scope(name), name_scope("assert_zero_imag_part"):
            parts = imag(self._vectors)
            text = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
            return assert_equal(convert_to_tensor(0, parts.dtype), parts, message=text)


class LinearOperatorCirculant(_Circulant):
    """A matrix each of whose columns is the one before, moved down by one and around.

    Args:
      spectrum: [..., n], the Fourier transform of the first column.
      input_output_dtype: the type of what it multiplies.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: see
        `LinearOperator`.
    Example:
      >>> operator = tf.linalg.LinearOperatorCirculant([6.0, 2.0, 2.0], tf.float32)
      >>> sess.run(operator.trace())
      10.0
    """

    _depth = 1

    def __init__(
        self, spectrum: Any, input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:  # fmt: skip
        super().__init__(spectrum, input_output_dtype, locals(), name)


class LinearOperatorCirculant2D(_Circulant):
    """Blocks that go around, each a circulant matrix: the convolution of images [h, w].

    Args:
      spectrum: [..., h, w]: the Fourier transform of the first column, as an image. The operator
        has h * w rows.
      input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name:
        see `LinearOperatorCirculant`.
    """

    _depth = 2

    def __init__(
        self, spectrum: Any, input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:  # fmt: skip
        super().__init__(spectrum, input_output_dtype, locals(), name)


class LinearOperatorCirculant3D(_Circulant):
    """Blocks of blocks that go around: the convolution of volumes [d, h, w].

    Args:
      spectrum: [..., d, h, w]: the Fourier transform of the first column, as a volume. The operator
        has d * h * w rows.
      input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name:
        see `LinearOperatorCirculant`.
    """

    _depth = 3

    def __init__(
        self, spectrum: Any, input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:  # fmt: skip
        super().__init__(spectrum, input_output_dtype, locals(), name)

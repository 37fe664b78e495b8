"""Discrete Fourier transforms of the last axis or two.

    fft      X[k] = sum of x[n] exp(-2 pi i k n / N)
    rfft     of real numbers: the first N / 2 + 1 of them, for the rest are their conjugates
    irfft    back to real numbers

Single precision stays single. The gradient of a transform is the opposite one, times its length.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import static_ints
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import multiply
from minitf.library.numeric.complex_numbers import complex as complex_of
from minitf.library.numeric.complex_numbers import real
from minitf.library.numeric.padding import pad

#: how the names of the transforms of so many axes end
_ENDS = {1: "", 2: "2D"}


def _last_axes(x: Any, count: int) -> tuple[int, ...]:
    if x.ndim < count:
        raise invalid(f"Input must have rank of at least {count} but got: {x.ndim}")
    return tuple(range(-count, 0))


# ---- complex ones ------------------------------------------------------------------------


def _transform(op_type: str, count: int, inverse: bool) -> OpDef:
    def kernel(xp: Any, input: Any) -> Any:
        function = xp.fft.ifftn if inverse else xp.fft.fftn
        axes = _last_axes(input, count)
        if not input.size:  # NumPy refuses a transform of no points
            return input.copy()
        return function(input, axes=axes).astype(input.dtype)

    axes = {1: "the last axis", 2: "the last two axes"}[count]
    kernel.__doc__ = f"Computes the {'inverse ' if inverse else ''}Fourier transform of {axes}."
    op_def: OpDef = op(
        op_type,
        "input: T -> output: T",
        batch="each",
        T=dtypes.COMPLEX,
        samples=[
            lambda rng: (rng.normal(size=(2,) * (count + 1)) + 1j * rng.normal(size=(2,)), {})
        ],
    )(kernel)
    op_def.shape(lambda input: input.shape.with_rank_at_least(count))
    return op_def


def _pair(count: int) -> tuple[OpDef, OpDef]:
    """A transform and its inverse, each the other's gradient but for a factor: their length."""
    forward = _transform(f"FFT{_ENDS[count]}", count, False)
    backward = _transform(f"IFFT{_ENDS[count]}", count, True)

    def length(x: Tensor) -> Tensor:
        total = call("Prod", shape_of(x)[-count:], axis=None)
        return cast(cast(total, dtypes.float64), x.dtype.base_dtype)

    forward.gradient(lambda op, dy: [multiply(backward(dy), length(dy))])
    backward.gradient(lambda op, dy: [call("RealDiv", forward(dy), length(dy))])
    return forward, backward


_PAIRS = {count: _pair(count) for count in _ENDS}


def fft(input: Any, name: str | None = None) -> Tensor:
    """Computes the Fourier transform of the last axis.

    Args:
      input: complex64 or complex128.
      name: the name.
    """
    return _PAIRS[1][0](input, name=name)


def ifft(input: Any, name: str | None = None) -> Tensor:
    """Computes the inverse Fourier transform of the last axis; see `fft`."""
    return _PAIRS[1][1](input, name=name)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """Computes the Fourier transform of the last two axes; see `fft`."""
    return _PAIRS[2][0](input, name=name)


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """Computes the inverse Fourier transform of the last two axes; see `fft`."""
    return _PAIRS[2][1](input, name=name)


# ---- of real numbers ---------------------------------------------------------------------


def _fitted(x: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """`x` with its last axes cut or filled with zeros to the given sizes."""
    whole = x.shape.as_list()
    rank, count = len(whole), len(sizes)
    kept = [-1] * (rank - count) + [
        -1 if n is None else min(n, m) for n, m in zip(whole[-count:], sizes, strict=True)
    ]
    x = slice_of(x, [0] * rank, kept)
    missing = [[0, 0]] * (rank - count) + [
        [0, max(m - (n or m), 0)] for n, m in zip(whole[-count:], sizes, strict=True)
    ]
    return pad(x, missing) if any(m[1] for m in missing) else x


def _gradient_of_rfft(op: Any, dy: Tensor) -> list:
    """The real part of the backward sum over the bins that there are."""
    sizes = op.attrs["fft_length"]
    whole = _fitted(dy, tuple(sizes))
    _, backward = _PAIRS[len(sizes)]
    total = real(backward(whole)) * float(math.prod(sizes))
    return [_fitted(total, tuple(op.inputs[0].shape.as_list()[-len(sizes) :]))]


def _gradient_of_irfft(op: Any, dy: Tensor) -> list:
    """Every bin but the first and, of an even length, the last stands for two."""
    sizes = op.attrs["fft_length"]
    last = sizes[-1]
    weights = np.full(last // 2 + 1, 2.0 / math.prod(sizes), np.float32)
    weights[0] /= 2
    if last % 2 == 0:
        weights[-1] /= 2
    forward, _ = _REAL_PAIRS[len(sizes)]
    bins = forward(dy, fft_length=sizes)
    scaled = multiply(bins, complex_of(weights, np.zeros_like(weights)))
    return [_fitted(scaled, tuple(op.inputs[0].shape.as_list()[-len(sizes) :]))]


def _real_transform(count: int, inverse: bool) -> OpDef:
    given, found = ("complex64", "float32") if inverse else ("float32", "complex64")

    def kernel(xp: Any, input: Any, *, fft_length: tuple) -> Any:
        function = xp.fft.irfftn if inverse else xp.fft.rfftn
        sizes = tuple(int(n) for n in fft_length)
        return function(input, s=sizes, axes=_last_axes(input, count)).astype(found)

    forth = "Computes the first half of the Fourier transform of real numbers."
    back = "Computes real numbers from the first half of their Fourier transform."
    kernel.__doc__ = back if inverse else forth
    op_type = f"{'I' if inverse else ''}RFFT{_ENDS[count]}"
    lengths = (2,) * count
    op_def: OpDef = op(
        op_type,
        f"input: {given} -> output: {found}",
        batch="each",
        samples=[
            lambda rng: (rng.normal(size=(2, *lengths)).astype(given), {"fft_length": lengths})
        ],
    )(kernel)

    @op_def.shape
    def _shape(input: Any, *, fft_length: tuple) -> Any:
        sizes = input.shape.with_rank_at_least(count)
        last = fft_length[-1] if inverse else fft_length[-1] // 2 + 1
        return sizes[:-count].concatenate([*fft_length[:-1], last])

    op_def.gradient(_gradient_of_irfft if inverse else _gradient_of_rfft)
    return op_def


_REAL_PAIRS = {n: (_real_transform(n, False), _real_transform(n, True)) for n in _ENDS}


def _of_half(count: int, inverse: bool, values: Any, fft_length: Any, name: str | None) -> Tensor:
    """Applies a transform of real numbers over `count` axes, or its inverse."""
    op_def = _REAL_PAIRS[count][inverse]
    with name_scope(name, op_def.type.lower(), [values, fft_length]) as scope:
        x = convert_to_tensor(values, dtypes.complex64 if inverse else dtypes.float32)
        if fft_length is None:
            known = x.shape.with_rank_at_least(count).as_list()[-count:]
            if None in known:
                raise ValueError(f"fft_length is needed where the sizes of {x} are unknown.")
            if inverse:
                known[-1] = max(0, 2 * (known[-1] - 1))
            fft_length = known
        return op_def(x, fft_length=static_ints(fft_length, "fft_length"), name=scope)


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes the first half of the Fourier transform of real numbers, along the last axis.

    Args:
      input_tensor: float32.
      fft_length: the sizes of the transform, known when the graph is built; those of the input
        by default.
      name: the name.
    """
    return _of_half(1, False, input_tensor, fft_length, name)


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes real numbers from the first half of their Fourier transform, along the last axis.

    Args:
      input_tensor: complex64.
      fft_length: the sizes of the result, known when the graph is built; by default those of
        which the input is the first half.
      name: the name.
    """
    return _of_half(1, True, input_tensor, fft_length, name)


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """As `rfft`, along the last two axes."""
    return _of_half(2, False, input_tensor, fft_length, name)


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """As `irfft`, along the last two axes."""
    return _of_half(2, True, input_tensor, fft_length, name)

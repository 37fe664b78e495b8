"""Discrete Fourier transforms of the last one, two or three axes.

    fft      X[k] = sum of x[n] exp(-2 pi i k n / N)
    rfft     of real numbers: the first N / 2 + 1 of them, for the rest are their conjugates
    irfft    back to real numbers

Single precision stays single. The gradient of a transform is the opposite one, times its length.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import static_ints
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.cast import cast
from minitf.core.ops.complex import complex as complex_of
from minitf.core.ops.complex import real
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import multiply


def _complex_like(dtype: Any) -> Any:
    return np.complex64 if dtype.itemsize <= 8 and dtype != np.float64 else np.complex128


def _axes(count: int) -> tuple[int, ...]:
    return tuple(range(-count, 0))


# ---- complex ones ------------------------------------------------------------------------


def _transform(op_type: str, count: int, inverse: bool) -> OpDef:
    def kernel(xp: Any, input: Any) -> Any:
        if input.ndim < count:
            raise invalid(f"Input must have rank of at least {count} but got: {input.ndim}")
        function = xp.fft.ifftn if inverse else xp.fft.fftn
        return function(input, axes=_axes(count)).astype(input.dtype)

    axes = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}[count]
    kernel.__doc__ = f"Computes the {'inverse ' if inverse else ''}Fourier transform of {axes}."
    kernel.__name__ = f"{op_type.lower()}_op"
    op_def: OpDef = op(
        op_type,
        "input: T -> output: T",
        T=dtypes.COMPLEX,
        samples=[
            lambda rng: (rng.normal(size=(2,) * (count + 1)) + 1j * rng.normal(size=(2,)), {})
        ],
    )(kernel)
    op_def.shape(lambda input: input.shape.with_rank_at_least(count))
    return op_def


_PAIRS = {}
for _count, _end in ((1, ""), (2, "2D"), (3, "3D")):
    _PAIRS[_count] = (
        _transform(f"FFT{_end}", _count, False), _transform(f"IFFT{_end}", _count, True)
    )  # fmt: skip


def _length(x: Tensor, count: int) -> Tensor:
    """How many numbers one transform takes, as a complex number of the type of `x`."""
    total = call("Prod", shape_of(x)[-count:], axis=None)
    return cast(cast(total, dtypes.float64), x.dtype.base_dtype)


def _set_gradients(count: int) -> None:
    forward, backward = _PAIRS[count]
    forward.gradient(lambda op, dy: [multiply(backward(dy), _length(dy, count))])
    backward.gradient(lambda op, dy: [call("RealDiv", forward(dy), _length(dy, count))])


for _count in _PAIRS:
    _set_gradients(_count)


def _public(op_def: OpDef, name: str) -> Callable[..., Tensor]:
    def function(input: Any, name: str | None = None) -> Tensor:
        return op_def(input, name=name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{op_def.__doc__}\n\n    `input` is complex64 or complex128."
    return function


fft, ifft = (_public(_PAIRS[1][i], n) for i, n in enumerate(("fft", "ifft")))
fft2d, ifft2d = (_public(_PAIRS[2][i], n) for i, n in enumerate(("fft2d", "ifft2d")))
fft3d, ifft3d = (_public(_PAIRS[3][i], n) for i, n in enumerate(("fft3d", "ifft3d")))

# ---- of real numbers ---------------------------------------------------------------------


def _real_transform(op_type: str, count: int, inverse: bool) -> OpDef:
    def kernel(xp: Any, input: Any, *, fft_length: tuple) -> Any:
        if input.ndim < count:
            raise invalid(f"Input must have rank of at least {count} but got: {input.ndim}")
        sizes = tuple(int(n) for n in fft_length)
        if inverse:
            dtype = np.float32 if input.dtype == np.complex64 else np.float64
            return xp.fft.irfftn(input, s=sizes, axes=_axes(count)).astype(dtype)
        return xp.fft.rfftn(input, s=sizes, axes=_axes(count)).astype(_complex_like(input.dtype))

    kernel.__doc__ = (
        "Computes real numbers from the first half of their Fourier transform."
        if inverse
        else "Computes the first half of the Fourier transform of real numbers."
    )
    kernel.__name__ = f"{op_type.lower()}_op"
    kind = (
        "input: complex64 -> output: float32" if inverse else "input: float32 -> output: complex64"
    )
    op_def: OpDef = op(
        op_type,
        kind,
        samples=[
            lambda rng: (
                rng.normal(size=(2,) + (2,) * count).astype("F" if inverse else "f"),
                {"fft_length": (2,) * count},
            )
        ],
    )(kernel)

    @op_def.shape
    def _shape(input: Any, *, fft_length: tuple) -> Any:
        sizes = input.shape.with_rank_at_least(count)
        if sizes.ndims is None:
            return None
        found = list(fft_length)
        if not inverse:
            found[-1] = found[-1] // 2 + 1
        return sizes[:-count].concatenate(TensorShape(found))

    return op_def


_REAL = {n: _real_transform(f"RFFT{e}", n, False) for n, e in ((1, ""), (2, "2D"), (3, "3D"))}
_BACK = {n: _real_transform(f"IRFFT{e}", n, True) for n, e in ((1, ""), (2, "2D"), (3, "3D"))}


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


def _rfft_grad(op: Any, dy: Tensor) -> list:
    """The real part of the backward sum over the bins that there are."""
    sizes = op.get_attr("fft_length")
    whole = _fitted(dy, tuple(sizes))
    _, backward = _PAIRS[len(sizes)]
    total = real(backward(whole)) * float(math.prod(sizes))
    return [_fitted(total, tuple(op.inputs[0].shape.as_list()[-len(sizes):]))]  # fmt: skip


def _irfft_grad(op: Any, dy: Tensor) -> list:
    """Every bin but the first and, of an even length, the last stands for two."""
    sizes = op.get_attr("fft_length")
    last = sizes[-1]
    weights = np.full(last // 2 + 1, 2.0 / math.prod(sizes), np.float32)
    weights[0] /= 2
    if last % 2 == 0:
        weights[-1] /= 2
    bins = _REAL[len(sizes)](dy, fft_length=sizes)
    scaled = multiply(bins, complex_of(weights, np.zeros_like(weights)))
    return [_fitted(scaled, tuple(op.inputs[0].shape.as_list()[-len(sizes):]))]  # fmt: skip


for _count in _REAL:
    _REAL[_count].gradient(_rfft_grad)
    _BACK[_count].gradient(_irfft_grad)


def _real_public(op_def: OpDef, name: str, count: int, inverse: bool) -> Callable[..., Tensor]:
    def function(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        with name_scope(name, function.__name__, [input_tensor, fft_length]) as scope:
            dtype = dtypes.complex64 if inverse else dtypes.float32
            x = convert_to_tensor(input_tensor, dtype)
            if fft_length is None:
                known = x.shape.with_rank_at_least(count).as_list()[-count:]
                if None in known:
                    raise ValueError(f"fft_length is needed where the sizes of {x} are unknown.")
                if inverse:
                    known[-1] = max(0, 2 * (known[-1] - 1))
                fft_length = known
            return op_def(x, fft_length=static_ints(fft_length, "fft_length"), name=scope)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{op_def.__doc__}

    Args:
      input_tensor: {"complex64" if inverse else "float32"}.
      fft_length: the sizes of the transform, known when the graph is built; those of the input
        by default.
      name: the name.
    """
    return function


rfft = _real_public(_REAL[1], "rfft", 1, False)
rfft2d = _real_public(_REAL[2], "rfft2d", 2, False)
rfft3d = _real_public(_REAL[3], "rfft3d", 3, False)
irfft = _real_public(_BACK[1], "irfft", 1, True)
irfft2d = _real_public(_BACK[2], "irfft2d", 2, True)
irfft3d = _real_public(_BACK[3], "irfft3d", 3, True)

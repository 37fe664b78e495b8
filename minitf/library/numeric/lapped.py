"""The modified discrete cosine transform, by which sound is stored, and windows that suit it.

    signal ──frames that overlap by half──window──folded──dct──> [frames, frame_length / 2]

Each sample lies in two frames; where the squares of the window's halves add up to 1, the two give
it back exactly (Princen, Johnson and Bradley, 1987).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import static_int
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import reverse
from minitf.core.ops.cast import cast
from minitf.core.ops.math import exp, sin, sqrt, square
from minitf.core.ops.reductions import cumsum
from minitf.library.numeric.gamma_functions import bessel_i0e
from minitf.library.numeric.signal import dct, frame
from minitf.library.numeric.spectra import overlap_and_add

# ---- windows -------------------------------------------------------------------------------


def _length_of(window_length: Any, dtype: dtypes.DType) -> Tensor:
    """How many numbers a window has, as a scalar.

    Raises:
      ValueError: when it is no scalar, or the type no float type.
    """
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    length = convert_to_tensor(window_length, dtypes.int32, name="window_length")
    length.shape.assert_has_rank(0)
    return length


def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window i0(beta sqrt(1 - x^2)) / i0(beta) for x from -1 to 1; i0 is `tf.math.bessel_i0`.

    Args:
      window_length: how many numbers.
      beta: how narrow it is; with 0, all numbers are 1.
      dtype: a float type.
      name: the name of the scope.
    """
    dtype = dtypes.as_dtype(dtype)
    with name_scope(name, "kaiser_window"):
        length = _length_of(window_length, dtype)
        if constant_value(length) == 1:
            return ones([1], dtype)
        half = (cast(length, dtypes.float32) - 1.0) / 2.0
        places = cast(range_of(-half, half + 0.1, dtype=dtypes.float32), dtype)
        beta = cast(beta, dtype)
        height = beta * sqrt(relu(cast(1.0, dtype) - square(places / cast(half, dtype))))
        return exp(height - beta) * (bessel_i0e(height) / bessel_i0e(beta))


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window of the running sums of `kaiser_window`, up and down again, that suits `mdct`.

    Args:
      window_length: how many numbers; an even number.
      beta, dtype, name: see `kaiser_window`.
    """
    dtype = dtypes.as_dtype(dtype)
    with name_scope(name, "kaiser_bessel_derived_window"):
        length = _length_of(window_length, dtype)
        sums = cumsum(kaiser_window(length // 2 + 1, beta, dtype))
        up = sqrt(sums[:-1] / sums[-1])
        return concat([up, up[::-1]], axis=0)


def vorbis_window(
    window_length: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window sin(pi / 2 sin^2(pi (n + 1/2) / N)), that suits `mdct`.

    Args:
      window_length: how many numbers.
      dtype: a float type.
      name: the name of the scope.
    """
    dtype = dtypes.as_dtype(dtype)
    with name_scope(name, "vorbis_window"):
        length = _length_of(window_length, dtype)
        places = cast(range_of(length), dtype)
        return sin(math.pi / 2.0 * square(sin(math.pi / cast(length, dtype) * (places + 0.5))))


# ---- the transform -------------------------------------------------------------------------


def _backwards(x: Tensor) -> Tensor:
    return reverse(x, [-1])


def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Tensor] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform of frames that overlap by half.

    Args:
      signals: [..., samples] float of known length.
      frame_length: samples in a frame, a multiple of 4.
      window_fn: makes the window that frames are multiplied by: `(frame_length, dtype) -> window`.
        None: all its numbers are sqrt(1/2).
      pad_end: whether the last frames are filled up with zeros.
      norm: None, or "ortho" for an orthogonal transform.
      name: the name of the scope.
    Returns: [..., frames, frame_length / 2]
    Raises:
      ValueError: when the length is no multiple of 4.
    """
    with name_scope(name, "mdct", [signals, frame_length]):
        x = convert_to_tensor(signals, name="signals")
        x.shape.with_rank_at_least(1)
        length = static_int(frame_length, "frame_length")
        if length % 4:
            raise ValueError("The frame length must be a multiple of 4.")
        frames = frame(x, length, length // 2, pad_end)
        if window_fn is None:
            frames = frames * math.sqrt(0.5)
        else:
            frames = frames * window_fn(length, dtype=frames.dtype)
        a, b, c, d = split(frames, 4, axis=-1)
        folded = concat([-_backwards(c) - d, a - _backwards(b)], axis=-1)
        return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Tensor] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signal that `mdct` was given; its first and last half frame lie in one frame only.

    Args:
      mdcts: [..., frames, frame_length / 2] float.
      window_fn, norm: those of `mdct`.
      name: the name of the scope.
    Returns: [..., samples]
    """
    with name_scope(name, "inverse_mdct", [mdcts]):
        x = convert_to_tensor(mdcts, name="mdcts")
        x.shape.with_rank_at_least(2)
        half = static_int(x.shape.as_list()[-1], "the size of the last axis")
        folded = dct(x, type=4, norm=norm)
        if norm is None:
            folded = folded * (0.5 / half)
        front, back = split(folded, 2, axis=-1)
        frames = concat([back, -_backwards(back), -_backwards(front), -front], axis=-1)
        if window_fn is None:
            frames = frames * math.sqrt(0.5)
        else:
            frames = frames * window_fn(2 * half, dtype=frames.dtype)
        return overlap_and_add(frames, half)

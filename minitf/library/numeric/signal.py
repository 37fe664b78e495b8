"""Signals in short frames: windows, frames, the short-time Fourier transform, the cosine one.

signal ──frame──> overlapping frames ──window──> ──rfft──> a spectrum for each frame
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import static_int
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.linalg import tensordot
from minitf.library.numeric.fourier import rfft


def _raised_cosine(
    a: float, b: float, length: Any, periodic: bool, dtype: Any, name: str
) -> Tensor:
    """The window a - b cos(2 pi n / N)."""
    length = static_int(length, "window_length")
    count = max(length + (1 - length % 2) * bool(periodic) - 1, 1)
    places = np.arange(length, dtype=np.float64)
    window = a - b * np.cos(2 * math.pi * places / count) if length > 1 else np.ones(length)
    return constant(window, dtype, name=name)


def hann_window(
    window_length: Any, periodic: bool = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window of 0.5 - 0.5 cos(2 pi n / N).

    Args:
      window_length: how many numbers.
      periodic: whether it is one period of a signal; otherwise it is symmetric.
      dtype: a float type.
      name: the name.
    """
    return _raised_cosine(0.5, 0.5, window_length, periodic, dtype, name or "hann_window")


def hamming_window(
    window_length: Any, periodic: bool = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window of 0.54 - 0.46 cos(2 pi n / N); the arguments are those of `hann_window`."""
    return _raised_cosine(0.54, 0.46, window_length, periodic, dtype, name or "hamming_window")


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """A signal cut into frames that overlap.

    Args:
      signal: [..., samples, ...] of known length.
      frame_length: samples in a frame.
      frame_step: samples from the beginning of one frame to that of the next.
      pad_end: whether the last frames are filled up with `pad_value`.
      pad_value: what to fill with.
      axis: the axis of the samples.
      name: the name of the scope.
    Returns: [..., frames, frame_length, ...]
    """
    with name_scope(name, "frame", [signal]):
        x = convert_to_tensor(signal, name="signal")
        length = static_int(frame_length, "frame_length")
        step = static_int(frame_step, "frame_step")
        place = axis % x.shape.ndims
        samples = x.shape.as_list()[place]
        if samples is None:
            raise ValueError(f"The number of samples of {x} must be known.")
        count = -(-samples // step) if pad_end else max(0, 1 + (samples - length) // step)
        missing = (count - 1) * step + length - samples
        if pad_end and missing > 0:
            margins = [[0, 0]] * x.shape.ndims
            margins[place] = [0, missing]
            x = pad(x, margins, constant_values=pad_value)
        starts = step * np.arange(count, dtype=np.int32)[:, None]
        return gather(x, starts + np.arange(length, dtype=np.int32), axis=place)


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Tensor] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The spectra of frames of a signal.

    Args:
      signals: [..., samples] float32.
      frame_length, frame_step, pad_end: see `frame`.
      fft_length: how many numbers to transform; by default the power of two that holds a frame.
      window_fn: makes the window that frames are multiplied by, or None.
      name: the name of the scope.
    Returns: [..., frames, fft_length // 2 + 1] complex64.
    """
    with name_scope(name, "stft", [signals]):
        length = static_int(frame_length, "frame_length")
        frames = frame(signals, length, frame_step, pad_end)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        if fft_length is None:
            fft_length = 1 << max(length - 1, 0).bit_length()
        return rfft(frames, [static_int(fft_length, "fft_length")])


def dct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform along the last axis.

    Args:
      input: [..., samples] float of known length.
      type: 1 to 4.
      n: how many numbers to transform: the rest is cut off, or filled up with zeros.
      axis: -1.
      norm: None, or "ortho" for an orthogonal transform, which type 1 has not.
      name: the name of the scope.
    Raises:
      ValueError: when there is no such transform.
    """
    with name_scope(name, "dct", [input]):
        x = convert_to_tensor(input)
        if axis != -1:
            raise NotImplementedError(f"axis must be -1. Got: {axis}")
        if n is not None and n < 1:
            raise ValueError("n should be a positive integer or None")
        if type not in _COSINES:
            raise ValueError("Types I, II, III and IV (I)DCT are supported.")
        if type == 1 and norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if type == 1 and x.shape.as_list()[-1] < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
        if norm not in (None, "ortho"):
            raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
        count = x.shape.as_list()[-1]
        if n is not None and n != count:
            rank = x.shape.ndims
            x = slice_of(x, [0] * rank, [*[-1] * (rank - 1), min(n, count)])
            x = pad(x, [*[[0, 0]] * (rank - 1), [0, max(n - count, 0)]])
            count = n
        place = np.arange(count)
        matrix = 2 * np.cos(math.pi * _COSINES[type](place[:, None], place, count))
        if type in (1, 3):
            matrix[0] /= 2
        if type == 1:
            matrix[-1] /= 2
        if norm == "ortho":
            matrix *= math.sqrt(0.5 / count)
            if type == 2:
                matrix[:, 0] *= math.sqrt(0.5)
            elif type == 3:
                matrix[0] *= math.sqrt(2.0)
        return tensordot(x, constant(matrix, x.dtype), 1)


#: For each type: the angle between sample n and number k of N of the transform, in half turns.
_COSINES: dict[int, Callable[[Any, Any, int], Any]] = {
    1: lambda n, k, count: n * k / (count - 1),
    2: lambda n, k, count: (n + 0.5) * k / count,
    3: lambda n, k, count: n * (k + 0.5) / count,
    4: lambda n, k, count: (n + 0.5) * (k + 0.5) / count,
}


def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """What `dct` of the same type undoes, but for a factor; the arguments are those of `dct`."""
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm, name or "idct")

"""From spectra back to signals, and on to what speech is recognized by.

spectra ──irfft──> frames ──window, overlap, add──> signal                  `inverse_stft`
spectra ──abs, mel matrix, log──> bands as we hear them ──dct──> cepstrum   `mfccs_...`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.nest import flatten
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape, static_int
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import reshape, tile, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.math import rsqrt, square
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.segments import unsorted_segment_sum
from minitf.library.numeric.fourier import irfft
from minitf.library.numeric.rearranging import roll
from minitf.library.numeric.signal import dct, hann_window


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """The sum of frames that overlap.

    Args:
      signal: [..., frames, frame_length].
      frame_step: samples from the beginning of one frame to that of the next.
      name: the name of the scope.
    Returns: [..., (frames - 1) * frame_step + frame_length]
    Raises:
      ValueError: when the step is no whole number.
    """
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        x = convert_to_tensor(signal, name="signal")
        x.shape.with_rank_at_least(2)
        step = convert_to_tensor(frame_step, name="frame_step")
        step.shape.assert_has_rank(0)
        if not step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
        sizes, rank = shape(x), x.shape.ndims
        outer, frames, length = sizes[:-2], sizes[-2], sizes[-1]
        samples = step * (frames - 1) + length
        places = (range_of(frames) * step)[:, None] + range_of(length)
        order = [rank - 2, rank - 1, *np.arange(rank - 2)]
        summed = unsorted_segment_sum(transpose(x, order), places, samples)
        result = reshape(transpose(summed, [*np.arange(1, rank - 1), 0]), concat([outer, [-1]], 0))
        if x.shape.is_fully_defined() and isinstance(frame_step, int):
            *batch, count, size = x.shape.as_list()
            result.set_shape([*batch, (count - 1) * frame_step + size])
        return result


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Tensor] | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal that frames with these spectra overlap to.

    With `window_fn=inverse_stft_window_fn(frame_step)` it undoes `stft`.

    Args:
      stfts: [..., frames, fft_length // 2 + 1] complex64.
      frame_length, frame_step, fft_length, window_fn, name: see `stft`.
    Returns: [..., samples] float32.
    """
    with name_scope(name, "inverse_stft", [stfts]):
        length = static_int(frame_length, "frame_length")
        if fft_length is None:
            fft_length = 1 << max(length - 1, 0).bit_length()
        transformed = static_int(fft_length, "fft_length")
        frames = irfft(stfts, [transformed])[..., :length]
        if length > transformed:
            frames = pad(frames, [[0, 0]] * (frames.shape.ndims - 1) + [[0, length - transformed]])
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Tensor] = hann_window, name: str | None = None
) -> Callable[..., Tensor]:
    """Makes the window with which `inverse_stft` gives back what `stft` was given.

    Args:
      frame_step: that of `stft`.
      forward_window_fn: the window of `stft`.
      name: the name of the scope.
    """
    with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
        step = static_int(frame_step, "frame_step")

    def inverse_stft_window_fn_inner(frame_length: Any, dtype: Any) -> Tensor:
        length = static_int(frame_length, "frame_length")
        window = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        energy = reshape(pad(square(window), [[0, overlaps * step - length]]), [overlaps, step])
        energy = tile(reduce_sum(energy, 0), [overlaps])
        return window / energy[:length]

    return inverse_stft_window_fn_inner


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A matrix from a spectrum to triangular bands, evenly spaced as we hear: 1127 log(1 + f/700).

    Args:
      num_mel_bins: how many bands.
      num_spectrogram_bins: how many numbers a spectrum has, for 0 to sample_rate / 2.
      sample_rate: samples a second.
      lower_edge_hertz, upper_edge_hertz: where the lowest band begins and the highest ends.
      dtype: a float type.
      name: the name.
    Returns: [num_spectrogram_bins, num_mel_bins]
    Raises:
      ValueError: when the numbers do not fit each other.
    """
    rate = constant_value(sample_rate) if isinstance(sample_rate, Tensor) else sample_rate
    dtype = dtypes.as_dtype(dtype)
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower_edge_hertz < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    if lower_edge_hertz >= upper_edge_hertz:
        edges = f"lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz"
        raise ValueError(f"{edges} {upper_edge_hertz:.1f}")
    if rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if upper_edge_hertz > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper_edge_hertz} for sample_rate: {rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")
    bins = static_int(num_spectrogram_bins, "num_spectrogram_bins")
    hertz = np.linspace(0.0, rate / 2, bins)[1:, None]
    edges = _mel(np.array([lower_edge_hertz, upper_edge_hertz]))
    edges = np.linspace(*edges, num_mel_bins + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    heard = _mel(hertz)
    rising, falling = (heard - lower) / (center - lower), (upper - heard) / (upper - center)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    weights = np.pad(weights, [(1, 0), (0, 0)])  # the constant part of a signal is not heard
    return constant(weights, dtype, name=name or "linear_to_mel_weight_matrix")


def _mel(hertz: np.ndarray) -> np.ndarray:
    return 1127.0 * np.log(1.0 + hertz / 700.0)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """The cepstral coefficients of logarithms of a spectrum's bands.

    Args:
      log_mel_spectrograms: [..., num_mel_bins] float.
      name: the name of the scope.
    Raises:
      ValueError: when there are no bands.
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        x = convert_to_tensor(log_mel_spectrograms)
        if x.shape.ndims and x.shape.as_list()[-1] == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {x}")
        transformed = dct(x, type=2)
        return transformed * rsqrt(cast(shape(x)[-1], transformed.dtype) * 2.0)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Moves frequency 0 from the beginning of a spectrum to its middle.

    Args:
      x: the spectrum.
      axes: an axis or several; all by default.
      name: the name of the scope.
    """
    return _shifted("fftshift", x, axes, name, lambda size: size // 2)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Undoes `fftshift`."""
    return _shifted("ifftshift", x, axes, name, lambda size: -(size // 2))


def _shifted(scope: str, x: Any, axes: Any, name: str | None, by: Callable[[Any], Any]) -> Tensor:
    with name_scope(name, scope):
        x = convert_to_tensor(x)
        axes = list(range(x.shape.ndims)) if axes is None else flatten(axes)
        sizes = shape(x)
        return roll(x, [by(sizes[axis]) for axis in axes], axes)

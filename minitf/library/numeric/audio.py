"""Sound: WAV files, how loud each frequency is from moment to moment, and what a voice says by it.

bytes ──DecodeWav──> [samples, channels] ──AudioSpectrogram──> [channels, frames, bins]
                                                    ──Mfcc──> [channels, frames, 13]

The last are mel-frequency cepstral coefficients (Davis and Mermelstein, 1980): the spectrum in
triangular bands as wide as the ear's, their logarithms, and of these a cosine transform.
"""

from __future__ import annotations

import struct

import numpy as np

_FULL = 2**15  # what 1.0 is in a file of 16 bits a sample


def write_wav(audio: np.ndarray, rate: int) -> bytes:
    """The file of sound: [samples, channels] of floats, those from -1 to 1 without a cut."""
    count, channels = audio.shape
    scaled = np.nan_to_num(audio, posinf=1.0, neginf=-1.0).astype(np.float64) * _FULL
    away = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)  # halves go away from zero
    data = np.clip(away, -_FULL, _FULL - 1).astype("<i2").tobytes()
    per_sample = 2 * channels
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        36 + len(data),
        b"WAVE",
        b"fmt ",
        16,
        1,
        channels,
        rate,
        per_sample * rate % 2**32,
        per_sample % 2**16,
        16,
        b"data",
        len(data),
    )
    return header + data

"""Sound: WAV files, how loud each frequency is from moment to moment, and what a voice says by it.

bytes ──DecodeWav──> [samples, channels] ──AudioSpectrogram──> [channels, frames, bins]
                                                    ──Mfcc──> [channels, frames, 13]

The last are mel-frequency cepstral coefficients (Davis and Mermelstein, 1980): the spectrum in
triangular bands as wide as the ear's, their logarithms, and of these a cosine transform.
"""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid, shown

DecodeWav = namedtuple("DecodeWav", "audio sample_rate")

_LARGEST_CHUNK = 2**31 - 1
_FULL = 2**15  # what 1.0 is in a file of 16 bits a sample
#: chunks that may stand before that of the format
_BEFORE_FORMAT = (b"JUNK", b"bext", b"iXML", b"qlty", b"mext", b"levl", b"link", b"axml")


class _Bytes:
    """A file in memory, read from its beginning on.

    Args:
      data: the bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    @property
    def ended(self) -> bool:
        """Whether all was read."""
        return self._place >= len(self._data)

    def take(self, count: int) -> bytes:
        """The next bytes."""
        end = self._place + count
        if end > len(self._data):
            raise invalid("Data too short when trying to read string")
        part, self._place = self._data[self._place : end], end
        return part

    def skip(self, count: int) -> None:
        """Leaves out the next bytes, as many as there are."""
        self._place += count

    def numbers(self, layout: str) -> tuple[int, ...]:
        """The next numbers, of a layout of `struct`, the lowest byte first."""
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}")))

    def expect(self, text: bytes) -> None:
        """Passes over what has to stand next."""
        found = self.take(4)
        if found != text:
            raise invalid(
                f"Header mismatch: Expected {text.decode()} but found {found.decode('latin1')}"
            )


def _read_wav(contents: bytes) -> tuple[np.ndarray, int]:
    """The samples of a file, [samples, channels] of 16 bits, and how many there are a second."""
    file = _Bytes(contents)
    file.expect(b"RIFF")
    file.numbers("I")  # the size of the file, which many writers leave wrong
    file.expect(b"WAVE")
    while (name := file.take(4)) != b"fmt ":
        if name not in _BEFORE_FORMAT:
            raise invalid(f"Unexpected field {name.decode('latin1')}")
        file.take(*file.numbers("I"))
    channels, rate = _read_format(file)
    samples = None
    while not file.ended:
        name, (size,) = file.take(4), file.numbers("I")
        if size > _LARGEST_CHUNK:
            raise invalid(
                f"WAV data chunk '{name.decode('latin1')}' is too large: {size} bytes, but the "
                f"limit is {_LARGEST_CHUNK}"
            )
        if name != b"data":
            file.skip(size)
            continue
        if samples is not None:
            raise invalid("More than one data chunk found in WAV")
        count = size // (2 * channels)
        samples = np.frombuffer(file.take(count * 2 * channels), "<i2").reshape(count, channels)
    if samples is None:
        raise invalid("No data chunk found in WAV")
    return samples, rate


def _read_format(file: _Bytes) -> tuple[int, int]:
    """The number of channels and the rate that the header tells."""
    (size,) = file.numbers("I")
    if size not in (16, 18):
        raise invalid(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    kind, channels, rate, per_second, per_sample, bits = file.numbers("HHIIHH")
    if kind != 1:
        raise invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got{kind}")
    if not channels:
        raise invalid("Bad number of channels for WAV: Expected at least 1, but got 0")
    if bits != 16:
        raise invalid(f"Can only read 16-bit WAV files, but received {bits}")
    if per_sample != 2 * channels:
        raise invalid(
            f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {per_sample}"
        )
    if per_second != per_sample * rate:
        raise invalid(
            f"Bad bytes per second in WAV header: Expected {per_sample * rate} but got "
            f"{per_second} (sample_rate={rate}, bytes_per_sample={per_sample})"
        )
    file.take(size - 16)
    return channels, rate


def write_wav(audio: np.ndarray, rate: int) -> bytes:
    """The file of sound: [samples, channels] of floats, those from -1 to 1 without a cut."""
    count, channels = audio.shape
    scaled = np.nan_to_num(audio, posinf=1.0, neginf=-1.0).astype(np.float64) * _FULL
    away = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)  # halves go away from zero
    data = np.clip(away, -_FULL, _FULL - 1).astype("<i2").tobytes()
    per_sample = 2 * channels
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, channels, rate,
        per_sample * rate % 2**32, per_sample % 2**16, 16, b"data", len(data),
    )  # fmt: skip
    return header + data


def _check_rank(x: Any, rank: int) -> None:
    if x.shape.ndims not in (None, rank):
        raise ValueError(f"Shape must be rank {rank} but is rank {x.shape.ndims}")


# ---- DecodeWav, EncodeWav ----------------------------------------------------------------------


def _sound(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-1.0, 1.0, (20, 2)).astype(np.float32)


@op(
    "DecodeWav",
    "contents: string -> audio: float32, sample_rate: int32",
    host=("contents", "sample_rate"),
    differentiable=False,
    sized_by_values=True,
    samples=[
        lambda rng: (write_wav(_sound(rng), 8000), {}),
        lambda rng: (write_wav(_sound(rng), 44100), {"desired_channels": 3}),
    ],
)
def decode_wav_op(
    xp: Any, contents: Any, *, desired_channels: int = -1, desired_samples: int = -1
) -> Any:
    """Reads a WAV file of 16 bits a sample."""
    samples, rate = _read_wav(contents)
    if desired_channels != -1:  # the last one stands for those that are not there
        last = samples.shape[1] - 1
        samples = samples[:, np.minimum(np.arange(desired_channels), last)]
    if desired_samples != -1:
        missing = max(0, desired_samples - len(samples))
        samples = np.pad(samples[:desired_samples], [(0, missing), (0, 0)])
    audio = samples.astype(np.float32) / np.float32(_FULL)
    return xp.asarray(audio), np.array(rate, np.uint32).astype(np.int32)


@decode_wav_op.shape
def _decode_wav_shape(contents: Any, *, desired_channels: int, desired_samples: int) -> Sequence:
    _check_rank(contents, 0)
    for what, count in (("channels", desired_channels), ("samples", desired_samples)):
        if count < -1:
            raise ValueError(f"{what} must be non-negative, got {count}")
    sizes = (None if n == -1 else n for n in (desired_samples, desired_channels))
    return [TensorShape(sizes), TensorShape([])]


def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Reads a WAV file of 16 bits a sample.

    Args:
      contents: the bytes of the file, a string.
      desired_channels: how many channels to give; of further ones the last is repeated. -1 gives
        those of the file.
      desired_samples: how many samples to give, the end left out or filled with zeros; -1 gives
        all.
      name: the operation's name.
    Returns: a tuple of `audio`, [samples, channels] float32 from -1 to 1, and `sample_rate`, how
      many samples a second, int32.
    Raises:
      ValueError: when a number is below -1.
      InvalidArgumentError: while it runs, when the bytes are no such file.
    """
    return DecodeWav(
        *decode_wav_op(
            contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name
        )
    )


@op(
    "EncodeWav",
    "audio: float32, sample_rate: int32 -> contents: string",
    host=("sample_rate",),
    host_only=True,
    differentiable=False,
    samples=[lambda rng: (_sound(rng), np.int32(16000), {})],
)
def encode_wav_op(xp: Any, audio: Any, sample_rate: Any) -> Any:
    """Writes a WAV file of 16 bits a sample."""
    if audio.ndim != 2:
        raise invalid(f"audio must be 2-dimensional{shown(audio)}")
    rate, channels = sample_rate.item(), audio.shape[1]
    if rate <= 0:
        raise invalid(f"sample_rate must be in (0, 2^32), got: {rate % 2**64}")
    if not channels:
        raise invalid("audio is null")
    if channels >= 2**16:
        raise invalid(f"num_channels must be in (0, 2^16), got: {channels}")
    return write_wav(audio, rate)


@encode_wav_op.shape
def _encode_wav_shape(audio: Any, sample_rate: Any) -> TensorShape:
    _check_rank(audio, 2)
    _check_rank(sample_rate, 0)
    return TensorShape([])


def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """Writes a WAV file of 16 bits a sample.

    Args:
      audio: [samples, channels] float32; what is beyond -1 and 1 is cut off.
      sample_rate: how many samples a second.
      name: the operation's name.
    Returns: the bytes of the file, a string.
    """
    return encode_wav_op(audio, sample_rate, name=name)


# ---- AudioSpectrogram, Mfcc --------------------------------------------------------------------


@op(
    "AudioSpectrogram",
    "input: float32 -> spectrogram: float32",
    differentiable=None,
    samples=[lambda rng: (_sound(rng), {"window_size": 8, "stride": 3})],
)
def audio_spectrogram_op(
    xp: Any, x: Any, *, window_size: int, stride: int, magnitude_squared: bool = False
) -> Any:
    """How loud each frequency is in windows over the sound."""
    if x.ndim != 2:
        raise invalid(f"input must be 2-dimensional{shown(x)}")
    begins = xp.arange(_frames(len(x), window_size, stride)) * stride
    frames = x.T[:, begins[:, None] + xp.arange(window_size)].astype(np.float64)
    window = 0.5 - 0.5 * xp.cos(2 * np.pi / window_size * xp.arange(window_size))
    spectra = xp.fft.rfft(frames * window, _transformed(window_size))
    squares = (spectra.real**2 + spectra.imag**2).astype(np.float32)
    return squares if magnitude_squared else xp.sqrt(squares)


def _frames(samples: int, window_size: int, stride: int) -> int:
    return 0 if samples < window_size else 1 + (samples - window_size) // stride


def _transformed(window_size: int) -> int:
    """The length of the Fourier transform: the next power of two."""
    return 1 << (window_size - 1).bit_length()


@audio_spectrogram_op.shape
def _audio_spectrogram_shape(
    x: Any, *, window_size: int, stride: int, magnitude_squared: bool
) -> TensorShape:
    _check_rank(x, 2)
    if window_size <= 1:
        raise ValueError(f"window size must be > 1, got {window_size}")
    if stride <= 0:
        raise ValueError(f"stride must be strictly positive, got {stride}")
    samples, channels = x.shape.with_rank(2).as_list()
    frames = None if samples is None else _frames(samples, window_size, stride)
    return TensorShape([channels, frames, 1 + _transformed(window_size) // 2])


def audio_spectrogram(
    input: Any, window_size: int, stride: int, magnitude_squared: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """How loud each frequency is, from moment to moment.

    Args:
      input: [samples, channels] float32.
      window_size: how many samples are looked at together; they fade in and out (Hann).
      stride: from the beginning of one window to that of the next, in samples.
      magnitude_squared: gives the squares.
      name: the operation's name.
    Returns: [channels, frames, bins] float32; bins are half the next power of two, and one.
    Raises:
      ValueError: when a window has less than two samples, or a stride none.
    """
    return audio_spectrogram_op(
        input,
        window_size=window_size,
        stride=stride,
        magnitude_squared=magnitude_squared,
        name=name,
    )


def _mel(frequency: Any) -> Any:
    """Hertz as the ear has them, in mel."""
    return 1127.0 * np.log1p(np.asarray(frequency) / 700.0)


def _bands(bins: int, rate: int, count: int, lower: float, upper: float) -> np.ndarray | None:
    """What each bin of a spectrum adds to each band, [bins, count]; None for too few bins."""
    per_bin = 0.5 * rate / (bins - 1)
    if upper / per_bin >= bins:
        return None
    first, last = int(1.5 + lower / per_bin), int(upper / per_bin)
    spacing = (_mel(upper) - _mel(lower)) / (count + 1)
    place = (_mel(np.arange(bins) * per_bin) - _mel(lower)) / spacing  # 1 is the middle of band 0
    weights = np.maximum(0.0, 1.0 - np.abs(place[:, None] - np.arange(1, count + 1)))
    heard = (np.arange(bins) >= first) & (np.arange(bins) <= last)
    return weights * heard[:, None]


@op(
    "Mfcc",
    "spectrogram: float32, sample_rate: int32 -> output: float32",
    host=("sample_rate",),
    differentiable=None,
    samples=[
        lambda rng: (rng.random((2, 3, 65)).astype(np.float32), np.int32(8000), {}),
    ],
)
def mfcc_op(
    xp: Any, spectrogram: Any, sample_rate: Any, *, upper_frequency_limit: float = 4000.0,
    lower_frequency_limit: float = 20.0, filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
) -> Any:  # fmt: skip
    """The mel-frequency cepstral coefficients of squared magnitudes."""
    if spectrogram.ndim != 3:
        raise invalid(f"spectrogram must be 3-dimensional{shown(spectrogram)}")
    bins, rate, bands = spectrogram.shape[-1], sample_rate.item(), filterbank_channel_count
    lower, upper, count = lower_frequency_limit, upper_frequency_limit, dct_coefficient_count
    if min(bands, rate) < 1 or bins < 2 or not 0 <= lower < upper or not 1 <= count <= bands:
        raise invalid(
            f"Mfcc initialization failed for channel count {bins}, sample rate {rate} and "
            f"filterbank_channel_count {bands}"
        )
    weights = _bands(bins, rate, bands, lower, upper)
    if weights is None:  # the limit lies beyond what the spectrum holds
        return xp.zeros((*spectrogram.shape[:2], count), np.float32)
    energies = xp.sqrt(spectrogram.astype(np.float64)) @ xp.asarray(weights)
    waves = np.cos(np.pi / bands * np.outer(np.arange(bands) + 0.5, np.arange(count)))
    loud = xp.log(xp.maximum(energies, 1e-12))
    return (loud @ xp.asarray(np.sqrt(2.0 / bands) * waves)).astype(np.float32)


@mfcc_op.shape
def _mfcc_shape(spectrogram: Any, sample_rate: Any, **attrs: Any) -> TensorShape:
    _check_rank(spectrogram, 3)
    _check_rank(sample_rate, 0)
    return spectrogram.shape.with_rank(3)[:2].concatenate(attrs["dct_coefficient_count"])


def mfcc(
    spectrogram: Any, sample_rate: Any, upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20, filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The mel-frequency cepstral coefficients of a spectrogram, by which speech is recognized.

    Args:
      spectrogram: [channels, frames, bins] float32 of squared magnitudes.
      sample_rate: how many samples a second the sound has, a scalar of int32.
      upper_frequency_limit: the highest frequency that is heard, in Hz.
      lower_frequency_limit: the lowest.
      filterbank_channel_count: the number of bands between them, equally wide to the ear.
      dct_coefficient_count: how many coefficients to give.
      name: the operation's name.
    Returns: [channels, frames, dct_coefficient_count] float32.
    """
    return mfcc_op(
        spectrogram, sample_rate, upper_frequency_limit=float(upper_frequency_limit),
        lower_frequency_limit=float(lower_frequency_limit),
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count, name=name,
    )  # fmt: skip

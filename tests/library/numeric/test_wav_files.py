"""WAV files with changed bytes, and those whose header cannot hold what it should."""

import random
import struct

import numpy as np
import pytest

import minitf as tf
from minitf.library.numeric.audio import _bands, _read_wav, write_wav


def test_changed_bytes_are_read_or_refused() -> None:
    good, rng, refused = write_wav(np.zeros([20, 2], np.float32), 8000), random.Random(0), 0
    for _ in range(500):
        data = bytearray(good[: rng.choice([len(good), rng.randrange(len(good))])])
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(data) + 1)
            data[place : place + 1] = bytes([rng.randrange(256)])
        try:
            samples, _ = _read_wav(bytes(data))
            assert samples.size <= 40
        except tf.errors.InvalidArgumentError:
            refused += 1
    assert 250 < refused < 500


@pytest.mark.parametrize(
    ("channels", "rate", "told"),
    [(40_000, 8000, (640_000_000, 14_464)), (2_000, 2**31 - 1, (0xFFFFF060, 4_000))],
)
def test_numbers_that_the_header_cannot_hold_are_cut(
    channels: int, rate: int, told: tuple[int, int]
) -> None:
    data = write_wav(np.zeros([1, channels], np.float32), rate)
    assert struct.unpack_from("<IH", data, 28) == told
    assert len(data) == 44 + 2 * channels


def test_a_limit_without_end_hears_nothing() -> None:
    assert _bands(9, 8000, 40, 20.0, float("inf")) is None

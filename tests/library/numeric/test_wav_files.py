"""WAV files with changed bytes, and those whose header cannot hold what it should."""

import struct

import numpy as np
import pytest

from minitf.library.numeric.audio import write_wav


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

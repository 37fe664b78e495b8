"""CRC-32C, the checksum of records, event files and checkpoints, and the mask they store it under.

The C extension `google-crc32c` computes it when it is installed. Without it a table does, which
holds what two bytes make of the state. A long message is cut into lanes, which NumPy takes through
the table side by side; then the lanes are joined, for the checksum is linear:

    |  lane 0  |  lane 1  |  lane 2  | rest |     state = state moved past a lane of zeros ^ lane
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

try:
    import google_crc32c
except ImportError:  # records and checkpoints can be read and written without it
    google_crc32c = None  # type: ignore[assignment]
else:
    if google_crc32c.implementation != "c":  # its own Python is slower than ours
        google_crc32c = None  # type: ignore[assignment]

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_LANE = 256  # bytes
_WORTH_LANES = 16  # lanes; fewer take longer side by side than byte by byte


@cache
def _tables() -> tuple[np.ndarray, list[int], list[list[int]]]:
    """[65536] what two bytes make of an empty state, [256] one byte; and what a lane of zeros does.

    The last, [4][256], is for each byte of a state that byte moved past a lane of zeros.
    """
    table = np.arange(1 << 16, dtype=np.uint32)
    for _ in range(16):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1)
    moved = np.arange(256, dtype=np.uint32) << np.arange(0, 32, 8, dtype=np.uint32)[:, None]
    for _ in range(_LANE // 2):
        moved = table[moved & 0xFFFF] ^ (moved >> 16)
    return table, table[::256].tolist(), moved.tolist()  # a zero byte leaves 0 as it is


def crc32c_in_numpy(data: Any, before: int = 0) -> int:
    """`crc32c` without the C extension."""
    array = np.frombuffer(data, np.uint8)
    state = before ^ 0xFFFFFFFF
    pairs, single, (first, second, third, fourth) = _tables()
    lanes = len(array) // _LANE
    if lanes >= _WORTH_LANES:
        states = np.zeros(lanes, np.uint32)
        for pair in array[: lanes * _LANE].view("<u2").reshape(lanes, -1).T.copy():
            states = pairs[(states ^ pair) & 0xFFFF] ^ (states >> 16)
        for lane in states.tolist():
            low, high = state & 0xFFFF, state >> 16
            state = first[low & 0xFF] ^ second[low >> 8] ^ third[high & 0xFF] ^ fourth[high >> 8]
            state ^= lane
        array = array[lanes * _LANE :]
    for byte in array.tolist():
        state = single[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state ^ 0xFFFFFFFF


def crc32c(data: Any, before: int = 0) -> int:
    """Returns the CRC-32C of bytes or of any contiguous buffer.

    Args:
      data: the bytes; an array is one of uint8.
      before: the CRC of what comes before them, when they are checked piece by piece.

    Example:
      >>> hex(crc32c(b"123456789"))
      '0xe3069283'
    """
    if google_crc32c is None:
        return crc32c_in_numpy(data, before)
    if not isinstance(data, (bytes, np.ndarray)):  # the extension takes no other buffers
        data = memoryview(data).tobytes()
    return google_crc32c.extend(before, data)


def mask(crc: int) -> int:
    """Returns a CRC as files store it: turned and moved, since CRCs of CRCs are weak."""
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def unmask(masked: int) -> int:
    """Returns the CRC that `mask` was given."""
    turned = (masked - _MASK_DELTA) & 0xFFFFFFFF
    return ((turned >> 17) | (turned << 15)) & 0xFFFFFFFF


def masked_crc32c(data: Any) -> int:
    """Returns `mask(crc32c(data))`."""
    return mask(crc32c(data))

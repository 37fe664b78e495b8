"""CRC-32C, the checksum of records, event files and checkpoints, and the mask they store it under.

The C extension `google-crc32c` computes it when it is installed. Without it, NumPy does: a CRC is
linear over the field of two elements, so that lanes of the data are run side by side, and pairs of
lanes joined by moving the left one past the length of the right one.

    |  lane 0  |  lane 1  |  lane 2  |  lane 3  |      all lanes at once, four bytes a step
         \\_________/           \\_________/           crc = shifted(left) ^ right
                \\_____________________/
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

try:
    import google_crc32c
except ImportError:  # records can be read and written without it
    google_crc32c = None  # type: ignore[assignment]

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_LANE = 256  # bytes; shorter data is not worth the lanes


def _tables() -> np.ndarray:
    """[4, 256] uint32: what a byte does to the state when 0 to 3 more bytes follow it."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1)
    rows = [table.astype(np.uint32)]
    for _ in range(3):
        rows.append(rows[0][rows[-1] & 0xFF] ^ (rows[-1] >> 8))
    return np.stack(rows)


_TABLES = _tables()
_BYTES = [int(v) for v in _TABLES[0]]


def _four_bytes(states: np.ndarray) -> np.ndarray:
    """Moves every state past four bytes, which were xor-ed into it."""
    t = _TABLES
    return (
        t[3][states & 0xFF]
        ^ t[2][(states >> 8) & 0xFF]
        ^ t[1][(states >> 16) & 0xFF]
        ^ t[0][states >> 24]
    )


@cache
def _shift(level: int) -> np.ndarray:
    """[4, 256] uint32: for each byte of a state, that byte moved past `_LANE << level` zeros."""
    columns = np.uint32(1) << np.arange(32, dtype=np.uint32)
    if level == 0:
        for _ in range(_LANE // 4):
            columns = _four_bytes(columns)
    else:
        columns = _shifted(_shifted(columns, level - 1), level - 1)
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1 == 1
    return np.stack(
        [
            np.bitwise_xor.reduce(np.where(bits, columns[8 * k : 8 * k + 8], np.uint32(0)), axis=1)
            for k in range(4)
        ]
    )


def _shifted(states: np.ndarray, level: int) -> np.ndarray:
    t = _shift(level)
    return (
        t[0][states & 0xFF]
        ^ t[1][(states >> 8) & 0xFF]
        ^ t[2][(states >> 16) & 0xFF]
        ^ t[3][states >> 24]
    )


def _by_bytes(data: bytes, state: int) -> int:
    table = _BYTES
    for byte in data:
        state = table[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state


def crc32c_in_numpy(data: Any) -> int:
    """`crc32c` without the C extension."""
    view = memoryview(data).cast("B")
    if len(view) < 2 * _LANE:
        return _by_bytes(view.tobytes(), 0xFFFFFFFF) ^ 0xFFFFFFFF
    lanes = 1 << (len(view) // _LANE).bit_length() - 1
    head = len(view) - lanes * _LANE  # runs byte by byte or in lanes of its own, before the rest
    state = crc32c_in_numpy(view[:head]) ^ 0xFFFFFFFF if head else 0xFFFFFFFF
    words = np.frombuffer(view[head:], "<u4").reshape(lanes, _LANE // 4).T.copy()
    words[0, 0] ^= np.uint32(state)
    states = np.zeros(lanes, np.uint32)
    for word in words:
        states = _four_bytes(states ^ word)
    level = 0
    while len(states) > 1:
        states = _shifted(states[0::2], level) ^ states[1::2]
        level += 1
    return int(states[0]) ^ 0xFFFFFFFF


def crc32c(data: Any) -> int:
    """Returns the CRC-32C of bytes or of any contiguous buffer.

    Example:
      >>> hex(crc32c(b"123456789"))
      '0xe3069283'
    """
    if google_crc32c is None:
        return crc32c_in_numpy(data)
    return google_crc32c.value(data if type(data) is bytes else memoryview(data).tobytes())


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

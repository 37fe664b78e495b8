"""CRC-32C, the checksum of records, event files and checkpoints, and the mask they store it under.

The C extension `google-crc32c` computes it when it is installed. Without it, NumPy does. A message
stands for a polynomial over the field of two elements, and its CRC for the remainder of a division,
so that anything may be added to the message which the divisor divides. One such multiple,

    x**5685 + x**1362 + x**426 + 1

has four terms only; since squaring it squares every term, x may be one bit or a row of 2, 4, 8 ...
bits. So the head of a long message is folded into what follows by three additions (xor) of whole
blocks, until little is left. That is cut into lanes, which run side by side, and pairs of lanes are
joined by moving the left one past the length of the right one.

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
except ImportError:  # records and checkpoints can be read and written without it
    google_crc32c = None  # type: ignore[assignment]
else:
    if google_crc32c.implementation != "c":  # its own Python is slower than ours
        google_crc32c = None  # type: ignore[assignment]

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_LANE = 32  # bytes
_WORTH_LANES = 2048  # bytes
_TERMS = (5685, 1362, 426, 0)  # exponents of a multiple of the polynomial, as above
_WORDS = (32, 4, 1)  # bytes that stand for one x, the fewer, the shorter the message is


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


def _bytes_of(state: int) -> np.ndarray:
    return np.frombuffer(state.to_bytes(4, "little"), np.uint8)


def _folded(data: np.ndarray, word: int, state: int) -> np.ndarray:
    """A message of few thousand words with the remainder of a longer one that starts in `state`."""
    kept, second, third, _ = (term * word for term in _TERMS)
    step = kept - second
    pending, following = np.zeros(kept, np.uint8), np.empty(kept, np.uint8)
    pending[:4] = _bytes_of(state)
    head = np.empty(step, np.uint8)
    at = 0
    while len(data) - at >= kept + step:
        np.bitwise_xor(data[at : at + step], pending[:step], out=head)
        following[:second] = pending[step:]
        following[second:] = head
        for start in (0, second - third):
            part = following[start : start + step]
            np.bitwise_xor(part, head, out=part)
        pending, following = following, pending
        at += step
    rest = data[at:].copy()
    rest[:kept] ^= pending
    return rest


def crc32c_in_numpy(data: Any, before: int = 0) -> int:
    """`crc32c` without the C extension."""
    array = np.frombuffer(data, np.uint8)
    state = before ^ 0xFFFFFFFF
    for word in _WORDS:
        if len(array) >= 2 * _TERMS[0] * word:
            array, state = _folded(array, word, state), 0
    size = len(array)
    if size < _WORTH_LANES:
        return _by_bytes(array.tobytes(), state) ^ 0xFFFFFFFF
    lanes = 1 << (-(-size // _LANE) - 1).bit_length()
    padded = np.zeros(lanes * _LANE, np.uint8)  # zeros before a message do not change its remainder
    padded[-size:] = array
    padded[-size:][:4] ^= _bytes_of(state)
    words = padded.view("<u4").reshape(lanes, _LANE // 4).T.copy()
    states = np.zeros(lanes, np.uint32)
    for row in words:
        states = _four_bytes(states ^ row)
    level = 0
    while len(states) > 1:
        states = _shifted(states[0::2], level) ^ states[1::2]
        level += 1
    return int(states[0]) ^ 0xFFFFFFFF


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

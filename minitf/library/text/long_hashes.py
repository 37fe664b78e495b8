"""Fingerprints of 128 bits: CityHash's, by which examples are told apart in `tf.train.sdca_fprint`.

A text of up to 16 bytes is one piece; up to 128 it is taken in steps of 16 bytes, beyond in steps
of 128, and what is left in steps of 32, the last of which begins before the end of the whole ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.string_values import as_objects
from minitf.library.text.hashes import K0, K1, K2, M64, farm64_short, farm64_weak, hash16, turned


class _Words:
    """The 64-bit numbers in a text.

    Args:
      data: the text.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.size = data, len(data)

    def __call__(self, at: int, width: int = 8) -> int:
        at = at + self.size if at < 0 else at
        return int.from_bytes(self.data[at : at + width], "little")

    def four(self, at: int) -> tuple[int, ...]:
        """Four of them, one after the other."""
        return self(at), self(at + 8), self(at + 16), self(at + 24)


def _mixed(value: int) -> int:
    value &= M64
    return value ^ (value >> 47)


def _short(data: bytes, low: int, high: int) -> tuple[int, int]:
    """The fingerprint of less than 128 bytes, from a start of two numbers."""
    word, size = _Words(data), len(data)
    a, b = low, high
    if size <= 16:
        a = _mixed(a * K1) * K1 & M64
        c = (b * K1 + farm64_short(data, size, (K2 + size * 2) & M64, word)) & M64
        d = _mixed(a + (word(0) if size >= 8 else c))
    else:
        c = hash16((word(size - 8) + K1) & M64, a)
        d = hash16((b + size) & M64, (c + word(size - 16)) & M64)
        a = (a + d) & M64
        for at in range(0, size - 16, 16):
            a = (a ^ _mixed(word(at) * K1) * K1 & M64) * K1 & M64
            b ^= a
            c = (c ^ _mixed(word(at + 8) * K1) * K1 & M64) * K1 & M64
            d ^= c
    a, b = hash16(a, c), hash16(d, b)
    return a ^ b, hash16(b, a)


def _long(data: bytes, low: int, high: int) -> tuple[int, int]:
    """That of more."""
    word, size = _Words(data), len(data)
    x, y, z = low, high, size * K1 & M64
    v0 = (turned((y ^ K1) & M64, 49) * K1 + word(0)) & M64
    v = v0, (turned(v0, 42) * K1 + word(8)) & M64
    w = (turned((y + z) & M64, 35) * K1 + x) & M64, turned((x + word(88)) & M64, 53) * K1 & M64
    whole = size // 128 * 128
    for at in range(0, whole, 64):
        x = turned((x + y + v[0] + word(at + 8)) & M64, 37) * K1 & M64
        y = turned((y + v[1] + word(at + 48)) & M64, 42) * K1 & M64
        x ^= w[1]
        y = (y + v[0] + word(at + 40)) & M64
        z = turned((z + w[0]) & M64, 33) * K1 & M64
        v = farm64_weak(word.four(at), v[1] * K1 & M64, (x + w[0]) & M64)
        w = farm64_weak(word.four(at + 32), (z + w[1]) & M64, (y + word(at + 16)) & M64)
        z, x = x, z
    x = (x + turned((v[0] + z) & M64, 49) * K0) & M64
    y = (y * K0 + turned(w[1], 37)) & M64
    z = (z * K0 + turned(w[0], 27)) & M64
    w = w[0] * 9 & M64, w[1]
    v = v[0] * K0 & M64, v[1]
    left = size - whole
    for done in range(32, left + 32, 32):
        at = size - done
        y = (turned((x + y) & M64, 42) * K0 + v[1]) & M64
        w = (w[0] + word(at + 16)) & M64, w[1]
        x = (x * K0 + w[0]) & M64
        z = (z + w[1] + word(at)) & M64
        w = w[0], (w[1] + v[0]) & M64
        v = farm64_weak(word.four(at), (v[0] + z) & M64, v[1])
        v = v[0] * K0 & M64, v[1]
    x, y = hash16(x, v[0]), hash16((y + z) & M64, w[0])
    first = (hash16((x + v[1]) & M64, w[1]) + y) & M64
    return first, hash16((x + w[1]) & M64, (y + v[1]) & M64)


def city128(data: bytes) -> tuple[int, int]:
    """CityHash's fingerprint of 128 bits: the low and the high half."""
    low, high = K0, K1
    if len(data) >= 16:
        word = _Words(data)
        low, high, data = word(0), (word(8) + K0) & M64, data[16:]
    return (_short if len(data) < 128 else _long)(data, low, high)


# ---- SdcaFprint ----------------------------------------------------------------------------


@op(
    "SdcaFprint",
    "input: string -> output: int64",
    differentiable=False,
    samples=[lambda rng: (as_objects([rng.bytes(n) for n in (0, 5, 16, 40, 130, 300)]), {})],
)
def sdca_fprint_op(xp: Any, input: Any) -> Any:
    """Gives two numbers for each string, by which it is known."""
    halves = [half for text in input for half in city128(text)]
    return np.array(halves, np.uint64).astype(np.int64).reshape(len(input), 2)


@sdca_fprint_op.shape
def _sdca_fprint_shape(input: Any) -> TensorShape:
    return input.shape.with_rank(1).concatenate([2])


def sdca_fprint(input: Any, name: str | None = None) -> Tensor:
    """The fingerprints of strings, [n, 2] int64: the low halves and the high ones.

    Args:
      input: [n] strings.
      name: the name.
    """
    return sdca_fprint_op(input, name=name)

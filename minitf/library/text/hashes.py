"""Hashes of strings, and the buckets that they fall into.

The hashes are the published ones that TensorFlow uses, so that a bucket is the same everywhere:
64-bit MurmurHash (`string_to_hash_bucket`), FarmHash's fingerprint (`_fast`) and SipHash
(`_strong`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph.graph import Tensor
from minitf.core.ops.string_values import as_objects, mapped
from minitf.library.text.strings import string_op

M64 = (1 << 64) - 1

# ---- hashes ------------------------------------------------------------------------------


K0, K1, K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def turned(value: int, by: int) -> int:
    """64 bits, turned to the right."""
    return ((value >> by) | (value << (64 - by))) & M64


def hash16(u: int, v: int, mul: int = 0x9DDFEA08EB382D69) -> int:
    """One number of two."""
    a = ((u ^ v) * mul) & M64
    a ^= a >> 47
    b = ((v ^ a) * mul) & M64
    b ^= b >> 47
    return (b * mul) & M64


def farm64(data: bytes) -> int:
    """FarmHash's Fingerprint64 of bytes."""
    size = len(data)

    def word(at: int, width: int = 8) -> int:
        at = at + size if at < 0 else at
        return int.from_bytes(data[at : at + width], "little")

    mul = (K2 + size * 2) & M64
    if size <= 16:
        return farm64_short(data, size, mul, word)
    if size <= 32:
        a, b, c, d = word(0) * K1 & M64, word(8), word(-8) * mul & M64, word(-16) * K2 & M64
        first = (turned((a + b) & M64, 43) + turned(c, 30) + d) & M64
        return hash16(first, (a + turned((b + K2) & M64, 18) + c) & M64, mul)
    if size <= 64:
        a, b, c, d = word(0) * K2 & M64, word(8), word(-8) * mul & M64, word(-16) * K2 & M64
        y = (turned((a + b) & M64, 43) + turned(c, 30) + d) & M64
        z = hash16(y, (a + turned((b + K2) & M64, 18) + c) & M64, mul)
        e, f = word(16) * mul & M64, word(24)
        g, h = (y + word(-32)) * mul & M64, (z + word(-24)) * mul & M64
        first = (turned((e + f) & M64, 43) + turned(g, 30) + h) & M64
        return hash16(first, (e + turned((f + a) & M64, 18) + g) & M64, mul)
    return _farm_long(size, word)


def farm64_short(data: bytes, size: int, mul: int, word: Callable[..., int]) -> int:
    """The hash of up to 16 bytes."""
    if size >= 8:
        a, b = (word(0) + K2) & M64, word(-8)
        c = (turned(b, 37) * mul + a) & M64
        return hash16(c, ((turned(a, 25) + b) * mul) & M64, mul)
    if size >= 4:
        return hash16((size + (word(0, 4) << 3)) & M64, word(-4, 4), mul)
    if size > 0:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[-1] << 2)
        mixed = (y * K2 ^ z * K0) & M64
        return ((mixed ^ (mixed >> 47)) * K2) & M64
    return K2


def farm64_weak(words: tuple[int, ...], a: int, b: int) -> tuple[int, int]:
    """Two numbers that four numbers, 32 bytes, are mixed into."""
    w, x, y, z = words
    a = (a + w) & M64
    b = turned((b + a + z) & M64, 21)
    c = a
    a = (a + x + y) & M64
    b = (b + turned(a, 44)) & M64
    return (a + z) & M64, (b + c) & M64


def _farm_long(size: int, word: Callable[..., int]) -> int:
    seed = 81

    def words(at: int) -> tuple[int, ...]:
        return word(at), word(at + 8), word(at + 16), word(at + 24)

    x = (seed * K2 + word(0)) & M64
    y = (seed * K1 + 113) & M64
    mixed = (y * K2 + 113) & M64
    z = ((mixed ^ (mixed >> 47)) * K2) & M64
    v, w = (0, 0), (0, 0)

    def take(at: int, mul: int, times: int) -> None:
        """Mixes in the 64 bytes that begin at `at`."""
        nonlocal x, y, z, v, w
        x = turned((x + y + v[0] + word(at + 8)) & M64, 37) * mul & M64
        y = turned((y + v[1] + word(at + 48)) & M64, 42) * mul & M64
        x ^= (w[1] * times) & M64
        y = (y + v[0] * times + word(at + 40)) & M64
        z = turned((z + w[0]) & M64, 33) * mul & M64
        v = farm64_weak(words(at), v[1] * mul & M64, (x + w[0]) & M64)
        w = farm64_weak(words(at + 32), (z + w[1]) & M64, (y + word(at + 16)) & M64)
        z, x = x, z

    for at in range(0, (size - 1) // 64 * 64, 64):
        take(at, K1, 1)
    mul = (K1 + ((z & 0xFF) << 1)) & M64
    w = ((w[0] + ((size - 1) & 63)) & M64, w[1])
    v = ((v[0] + w[0]) & M64, v[1])
    w = ((w[0] + v[0]) & M64, w[1])
    take(size - 64, mul, 9)
    mixed = (y ^ (y >> 47)) & M64
    first = (hash16(v[0], w[0], mul) + mixed * K0 + z) & M64
    return hash16(first, (hash16(v[1], w[1], mul) + x) & M64, mul)


def fingerprint_cat64(first: int, second: int) -> int:
    """One fingerprint of two, in which their order counts."""
    mul = 0xC6A4A7935BD1E995
    mixed = second * mul & M64
    value = (first ^ mul) ^ ((mixed ^ (mixed >> 47)) * mul & M64)
    value = value * mul & M64
    value = (value ^ (value >> 47)) * mul & M64
    return value ^ (value >> 47)


def sip64(data: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 of bytes under a key of two 64-bit numbers."""
    k0, k1 = key[0] & M64, key[1] & M64
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573

    def rounds(count: int) -> None:
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0, v2 = (v0 + v1) & M64, (v2 + v3) & M64
            v1, v3 = turned(v1, 51) ^ v0, turned(v3, 48) ^ v2
            v0 = turned(v0, 32)
            v2, v0 = (v2 + v1) & M64, (v0 + v3) & M64
            v1, v3 = turned(v1, 47) ^ v2, turned(v3, 43) ^ v0
            v2 = turned(v2, 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for at in range(0, len(padded), 8):
        m = int.from_bytes(padded[at : at + 8], "little")
        v3 ^= m
        rounds(2)
        v0 ^= m
    v2 ^= 0xFF
    rounds(4)
    return v0 ^ v1 ^ v2 ^ v3


def _hash_samples(**attrs: Any) -> list:
    sizes, attrs = (0, 3, 7, 15, 30, 60, 99), {**attrs, "num_buckets": 1000}
    return [lambda rng: (as_objects([rng.bytes(n) for n in sizes]), attrs)]


@string_op("StringToHashBucketFast", "input: string -> output: int64", samples=_hash_samples())
def string_to_hash_bucket_fast_op(xp: Any, input: Any, *, num_buckets: int) -> Any:
    """Hashes strings into buckets by FarmHash's fingerprint."""
    return mapped(lambda text: farm64(text) % num_buckets, input, np.int64)


@string_op(
    "StringToHashBucketStrong", "input: string -> output: int64", samples=_hash_samples(key=(1, 2))
)
def string_to_hash_bucket_strong_op(xp: Any, input: Any, *, num_buckets: int, key: Any) -> Any:
    """Hashes strings into buckets by SipHash, which nobody can predict without the key."""
    return mapped(lambda text: sip64(text, tuple(key)) % num_buckets, input, np.int64)


def _check_buckets(num_buckets: Any, op_type: str) -> int:
    if num_buckets < 1:
        raise ValueError(
            f"Attr 'num_buckets' of '{op_type}' Op passed {num_buckets} less than minimum 1."
        )
    return int(num_buckets)


def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each string, from 0 to `num_buckets - 1`; the same in every process."""
    buckets = _check_buckets(num_buckets, "StringToHashBucketFast")
    return string_to_hash_bucket_fast_op(input, num_buckets=buckets, name=name)


def string_to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Any, name: str | None = None
) -> Tensor:
    """The bucket of each string, by a hash with a key of two numbers."""
    if len(key) != 2:
        raise ValueError(f"Key must have 2 elements, got {list(key)}.")
    buckets = _check_buckets(num_buckets, "StringToHashBucketStrong")
    numbers = tuple(int(k) for k in key)
    return string_to_hash_bucket_strong_op(input, num_buckets=buckets, key=numbers, name=name)

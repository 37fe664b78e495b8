"""Hashes of strings and of crosses of features, and the buckets that they fall into.

The hash is the published one that TensorFlow uses, FarmHash's fingerprint, so that a bucket is the
same everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.composites import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.cast import cast
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


_SIZES = (0, 3, 7, 15, 30, 60, 99)  # of texts, one for each way that the hash goes


@string_op(
    "StringToHashBucketFast",
    "input: string -> output: int64",
    samples=[lambda rng: (as_objects([rng.bytes(n) for n in _SIZES]), {"num_buckets": 1000})],
)
def string_to_hash_bucket_fast_op(xp: Any, input: Any, *, num_buckets: int) -> Any:
    """Hashes strings into buckets by FarmHash's fingerprint."""
    return mapped(lambda text: farm64(text) % num_buckets, input, np.int64)


def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each string, from 0 to `num_buckets - 1`; the same in every process."""
    if num_buckets < 1:
        raise ValueError(
            f"Attr 'num_buckets' of 'StringToHashBucketFast' Op passed {num_buckets} less than "
            "minimum 1."
        )
    return string_to_hash_bucket_fast_op(input, num_buckets=int(num_buckets), name=name)


# ---- crosses -----------------------------------------------------------------------------

#: The key of the hash when a program gives none.
DEFAULT_HASH_KEY = 0xDECAFCAFFE


@op(
    "SparseCross",
    "parts: N*? -> output_indices: int64, output_values: out_type, output_shape: int64",
    sized_by_values=True,
    differentiable=False,
    host_only=True,
    samples=[
        lambda rng: (
            [np.array([[0, 0], [0, 1], [1, 0]]), as_objects([b"a", b"b", b"c"]), np.array([2, 2])],
            {"sparse": 1, "hashed_output": True, "out_type": dtypes.int64},
        ),
        lambda rng: (
            [np.array([[3], [4]]), as_objects([b"a", b"b", b"c", b"d"], (2, 2))],
            {"sparse": 0, "hashed_output": True, "num_buckets": 10, "out_type": dtypes.int64},
        ),
    ],
)
def sparse_cross_op(
    xp: Any,
    parts: Any,
    *,
    sparse: int,
    hashed_output: bool,
    out_type: Any,
    num_buckets: int = 0,
    hash_key: int = DEFAULT_HASH_KEY,
) -> Any:
    """Hashes all combinations of one element of each input, row by row.

    The places, elements and shape of the `sparse` inputs come first among `parts`.
    """
    if not hashed_output:
        raise errors.UnimplementedError(None, None, "A cross gives hashes, no texts.")
    whole = parts[3 * sparse :]
    batch = int(parts[2][0]) if sparse else len(whole[0])
    columns: list[list[list]] = []
    for places, elements in zip(parts[: 3 * sparse : 3], parts[1 : 3 * sparse : 3], strict=True):
        rows: list[list] = [[] for _ in range(batch)]
        for row, value in zip(places[:, 0].tolist(), elements.tolist(), strict=True):
            rows[row].append(_fingerprint(value))
        columns.append(rows)
    columns += [[[_fingerprint(v) for v in row] for row in dense.tolist()] for dense in whole]
    crossed, where = [], []
    for row in range(batch):
        for at, chosen in enumerate(itertools.product(*(rows[row] for rows in columns))):
            where.append((row, at))
            crossed.append(_hashed(chosen, hash_key, num_buckets))
    most = max((at + 1 for _, at in where), default=0)
    return (
        np.array(where, np.int64).reshape(-1, 2),
        np.array(crossed, np.int64),
        np.array([batch, most], np.int64),
    )


sparse_cross_op.shape(
    lambda *inputs, **attrs: [TensorShape([None, 2]), TensorShape([None]), TensorShape([2])]
)


def _fingerprint(value: Any) -> int:
    return farm64(value) if isinstance(value, bytes) else value % (1 << 64)


def _hashed(parts: Sequence[int], key: int, buckets: int) -> int:
    mixed = key
    for part in parts:
        mixed = fingerprint_cat64(mixed, part)
    return mixed % (buckets or (1 << 63) - 1)


def sparse_cross_hashed(
    inputs: Sequence[Any],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """The combinations of the elements of each row, as buckets of a hash.

    The hash of a combination mixes the fingerprints of its parts one after the other, so that a
    crossed feature has the same bucket everywhere.

    Args:
      inputs: tensors and `SparseTensor`s of strings or integers, with one row an example.
      num_buckets: how many buckets; 0 for as many as there are numbers.
      hash_key: where the hash begins; another key makes other collisions.
      name: the name.
    Returns: a `SparseTensor` of int64.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    given = [convert_to_tensor_or_sparse_tensor(value) for value in inputs]
    sparse = [value for value in given if isinstance(value, SparseTensor)]
    whole = [value for value in given if not isinstance(value, SparseTensor)]
    parts = [part for s in sparse for part in (s.indices, _id_or_text(s.values), s.dense_shape)]
    parts += map(_id_or_text, whole)
    made = sparse_cross_op(
        parts,
        sparse=len(sparse),
        hashed_output=True,
        out_type=dtypes.int64,
        num_buckets=num_buckets,
        hash_key=hash_key or DEFAULT_HASH_KEY,
        name=name,
    )
    return SparseTensor(*made)


def _id_or_text(tensor: Any) -> Any:
    tensor = convert_to_tensor(tensor)
    return tensor if tensor.dtype == dtypes.string else cast(tensor, dtypes.int64)

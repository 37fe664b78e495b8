"""Crosses: for each row all combinations of one element of each input, as texts or as buckets.

    [["a", "b"]], [["c"]]   ->   [["a_X_c", "b_X_c"]]      or the hashes of these pairs

The hash of a pair mixes the fingerprints of its parts one after the other, so that a crossed
feature has the same bucket everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.cast import cast
from minitf.core.ops.string_values import as_objects
from minitf.library.text.hashes import farm64, fingerprint_cat64

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
            {"sparse": 1, "hashed_output": False, "out_type": dtypes.string},
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
    """Combines the elements of each row; places, elements, shape of `sparse` inputs come first."""
    whole = parts[3 * sparse :]
    batch = int(parts[2][0]) if sparse else len(whole[0])
    element = _fingerprint if hashed_output else _as_text
    columns: list[list[list]] = []
    for places, elements in zip(parts[: 3 * sparse : 3], parts[1 : 3 * sparse : 3], strict=True):
        rows: list[list] = [[] for _ in range(batch)]
        for row, value in zip(places[:, 0].tolist(), elements.tolist(), strict=True):
            rows[row].append(element(value))
        columns.append(rows)
    columns += [[[element(v) for v in row] for row in dense.tolist()] for dense in whole]
    crossed, where = [], []
    for row in range(batch):
        for at, chosen in enumerate(itertools.product(*(rows[row] for rows in columns))):
            where.append((row, at))
            mixed = _hashed(chosen, hash_key, num_buckets) if hashed_output else b"_X_".join(chosen)
            crossed.append(mixed)
    found = np.array(crossed, np.int64) if hashed_output else as_objects(crossed)
    most = max((at + 1 for _, at in where), default=0)
    return np.array(where, np.int64).reshape(-1, 2), found, np.array([batch, most], np.int64)


sparse_cross_op.shape(
    lambda *inputs, **attrs: [TensorShape([None, 2]), TensorShape([None]), TensorShape([2])]
)


def _fingerprint(value: Any) -> int:
    return farm64(value) if isinstance(value, bytes) else value % (1 << 64)


def _as_text(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _hashed(parts: Sequence[int], key: int, buckets: int) -> int:
    mixed = key
    for part in parts:
        mixed = fingerprint_cat64(mixed, part)
    return mixed % (buckets or (1 << 63) - 1)


def _crossed(inputs: Any, name: str | None, out_type: Any, **attrs: Any) -> SparseTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    given = [convert_to_tensor_or_sparse_tensor(value) for value in inputs]
    sparse = [value for value in given if isinstance(value, SparseTensor)]
    whole = [value for value in given if not isinstance(value, SparseTensor)]
    parts = [part for s in sparse for part in (s.indices, _id_or_text(s.values), s.dense_shape)]
    parts += map(_id_or_text, whole)
    made = sparse_cross_op(parts, sparse=len(sparse), out_type=out_type, name=name, **attrs)
    return SparseTensor(*made)


def _id_or_text(tensor: Any) -> Any:
    tensor = convert_to_tensor(tensor)
    return tensor if tensor.dtype == dtypes.string else cast(tensor, dtypes.int64)


def sparse_cross_hashed(
    inputs: Sequence[Any],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """The combinations of the elements of each row, as buckets of a hash.

    Args:
      inputs: see `sparse_cross`.
      num_buckets: how many buckets; 0 for as many as there are numbers.
      hash_key: where the hash begins; another key makes other collisions.
      name: the name.
    Returns: a `SparseTensor` of int64.
    """
    key = hash_key or DEFAULT_HASH_KEY
    return _crossed(
        inputs, name, dtypes.int64, hashed_output=True, num_buckets=num_buckets, hash_key=key
    )

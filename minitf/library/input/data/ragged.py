"""Ragged tensors as one component of an element: a variant that holds rows and where they begin.

RaggedTensor --RaggedTensorToVariant--> rows --RaggedTensorFromVariant--> RaggedTensor
a batch of them: a vector of variants, which is read back as one with one more ragged axis in front
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.string_values import as_objects
from minitf.library.eager.type_specs import RaggedTensorSpec
from minitf.library.sparse.ragged import RaggedTensor

_OPTIONS: dict[str, Any] = {
    "differentiable": False,
    "host_only": True,
    "no_samples": "a variant is no array; tests/library/data/test_ragged_elements.py runs it",
}


class _Rows(NamedTuple):
    splits: list[Any]  # the outermost first
    values: Any


class _Held:
    """A ragged value in a variant; no sequence, so that NumPy does not look inside."""

    __slots__ = ("rows",)

    def __init__(self, rows: _Rows) -> None:
        self.rows = rows


def _part(whole: _Rows, place: int) -> _Held:
    """One row, which has one ragged axis less."""
    first, last = whole.splits[0][place : place + 2]
    splits = []
    for deeper in whole.splits[1:]:
        piece = deeper[first : last + 1]
        splits.append(piece - piece[0])
        first, last = piece[0], piece[-1]
    return _Held(_Rows(splits, whole.values[first:last]))


@op(
    "RaggedTensorToVariant",
    "rt_nested_splits: N*Tsplits, rt_dense_values: Tvalues -> encoded_ragged: variant",
    **_OPTIONS,
)
def ragged_to_variant_op(
    xp: Any, rt_nested_splits: Any, rt_dense_values: Any, *, batched_input: bool = False
) -> Any:
    """Puts a ragged tensor into a variant, or each of its rows into one."""
    whole = _Rows([each.copy() for each in rt_nested_splits], rt_dense_values.copy())
    if not batched_input:
        return _Held(whole)
    return as_objects([_part(whole, i) for i in range(len(whole.splits[0]) - 1)])


@ragged_to_variant_op.shape
def _encoded_shape(splits: Any, values: Any, *, batched_input: bool = False) -> TensorShape:
    return TensorShape([None] if batched_input else [])


@op(
    "RaggedTensorFromVariant",
    "encoded_ragged: variant -> output_nested_splits: output_ragged_rank*Tsplits, "
    "output_dense_values: Tvalues",
    alias=True,
    **_OPTIONS,
)
def ragged_from_variant_op(
    xp: Any,
    encoded_ragged: Any,
    *,
    output_ragged_rank: int,
    Tvalues: Any,
    Tsplits: Any = dtypes.int64,
) -> list[Any]:
    """Takes a ragged tensor out of a variant, or puts those of several together."""
    found = _joined(encoded_ragged, output_ragged_rank, Tvalues.numpy_dtype, Tsplits.numpy_dtype)
    return [*found.splits, found.values]


@ragged_from_variant_op.shape
def _decoded_shape(encoded: Any, *, output_ragged_rank: int, **attrs: Any) -> Any:
    return [*[TensorShape([None])] * output_ragged_rank, None] if output_ragged_rank else None


def _joined(encoded: Any, rank: int, dtype: Any, of_splits: Any) -> _Rows:
    if not isinstance(encoded, np.ndarray):
        return encoded.rows
    parts = [_joined(each, rank - 1, dtype, of_splits) for each in encoded]
    if not parts:
        return _Rows([np.zeros(1, of_splits)] * rank, np.zeros(0, dtype))
    levels = [
        _end_to_end([part.splits[level] for part in parts], of_splits) for level in range(rank - 1)
    ]
    counts = [len(part.splits[0]) - 1 if part.splits else len(part.values) for part in parts]
    outer = np.concatenate([[0], np.cumsum(counts)]).astype(of_splits)
    return _Rows([outer, *levels], np.concatenate([part.values for part in parts]))


def _end_to_end(splits: list[Any], dtype: Any) -> Any:
    """Where the rows of several tensors begin when one follows the other."""
    lengths = np.concatenate([np.diff(each) for each in splits])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype)


def pack_ragged(value: RaggedTensor, rows: bool = False) -> Tensor:
    """A ragged tensor as one component, or as one for each of its rows."""
    splits = list(value.nested_row_splits)
    return ragged_to_variant_op(splits, value.flat_values, batched_input=rows)


def unpack_ragged(component: Tensor, spec: RaggedTensorSpec) -> Any:
    """What a component holds: a ragged tensor, or a row of values."""
    *splits, values = ragged_from_variant_op(
        component,
        output_ragged_rank=spec.ragged_rank,
        Tvalues=spec.dtype,
        Tsplits=spec.row_splits_dtype,
    )
    flat = spec._component_specs[0].shape
    values.set_shape(flat if spec.ragged_rank else spec.shape)
    return RaggedTensor.from_nested_row_splits(values, splits) if splits else values

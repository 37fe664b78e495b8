"""Rows as sets, and rows as words: set operations, and the distance between two sequences.

A set is the last axis of a tensor, or of a `SparseTensor`, where sets of different sizes stand in
one batch. The results are sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_gathering import gather_nd
from minitf.core.ops.comparisons import where
from minitf.core.ops.elementwise import invalid
from minitf.library.sparse.sparse import as_sparse

# ---- sets --------------------------------------------------------------------------------


def _sequences(indices: Any, values: Any) -> dict[tuple, list]:
    """The elements of each row, by its place in the other axes."""
    found: dict[tuple, list] = {}
    for place, value in zip(indices[:, :-1].tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place), []).append(value)
    return found


def _groups(indices: Any, values: Any) -> dict[tuple, set]:
    return {place: set(items) for place, items in _sequences(indices, values).items()}


_OPERATIONS: dict[str, Callable[[set, set], set]] = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


def _two_rows(values: list[int]) -> tuple:
    """A sample: the first two elements in one set, the third in the other."""
    return np.array([[0, 0], [0, 1], [1, 0]]), np.array(values), np.array([2, 2])


@op(
    "SparseToSparseSetOperation",
    "set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, set2_values: T, "
    "set2_shape: int64 -> result_indices: int64, result_values: T, result_shape: int64",
    host_only=True,
    sized_by_values=True,
    differentiable=False,
    samples=[
        lambda rng: (*_two_rows([1, 2, 3]), *_two_rows([3, 2, 5]), {"set_operation": "a-b"}),
        lambda rng: (*_two_rows([1, 2, 3]), *_two_rows([3, 4, 5]), {"set_operation": "union"}),
    ],
)
def set_operation_op(xp: Any, *set1_and_set2: Any, set_operation: str) -> Any:
    """Combines the sets at the same place of two batches."""
    set1_indices, set1_values, set1_shape = set1_and_set2[:3]
    set2_indices, set2_values, set2_shape = set1_and_set2[3:]
    if len(set1_shape) != len(set2_shape) or (set1_shape[:-1] != set2_shape[:-1]).any():
        raise invalid(
            f"Mismatched group shapes {set1_shape[:-1].tolist()} vs {set2_shape[:-1].tolist()}"
        )
    combine = _OPERATIONS[set_operation]
    one, other = _groups(set1_indices, set1_values), _groups(set2_indices, set2_values)
    places, values, longest = [], [], 0
    for place in sorted({*one, *other}):
        found = sorted(combine(one.get(place, set()), other.get(place, set())))
        places += [(*place, i) for i in range(len(found))]
        values += found
        longest = max(longest, len(found))
    rank = len(set1_shape)
    return (
        np.array(places, np.int64).reshape(len(values), rank),
        np.array(values, set1_values.dtype),
        np.array([*set1_shape[:-1], longest], np.int64),
    )


@set_operation_op.shape
def _set_operation_shape(*inputs: Any, set_operation: str) -> list:
    rank = inputs[2].shape.as_list()[0] if inputs[2].shape.ndims else None
    return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]


def as_sets(value: Any) -> SparseTensor:
    """Every element of a whole tensor, zeros too, at its place."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return as_sparse(value)
    tensor = convert_to_tensor(value)
    places = where(ones_like(tensor, dtypes.bool))
    sizes = shape_of(tensor, out_type=dtypes.int64)
    return SparseTensor(places, gather_nd(tensor, places), sizes)


def _operation(a: Any, b: Any, set_operation: str) -> SparseTensor:
    one, other = as_sets(a), as_sets(b)
    return SparseTensor(
        *set_operation_op(*one._components(), *other._components(), set_operation=set_operation)
    )


def set_intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """For each row, the elements that are in both sets.

    Args:
      a: a tensor or `SparseTensor`; its last axis holds the sets.
      b: another of the same type and the same other axes.
      validate_indices: accepted.
    Returns: a `SparseTensor` with the elements of each set, sorted, along the last axis.
    """
    return _operation(a, b, "intersection")


def set_union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """For each row, the elements that are in one set or the other; see `set_intersection`."""
    return _operation(a, b, "union")


def set_difference(
    a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """For each row, the elements of `a` that are not in `b`; or those of `b` not in `a`."""
    return _operation(a, b, "a-b" if aminusb else "b-a")


@op(
    "SetSize",
    "set_indices: int64, set_values: T, set_shape: int64 -> size: int32",
    host_only=True,
    differentiable=False,
    samples=[
        lambda rng: (
            np.array([[0, 0], [0, 1], [1, 0]]), np.array([5, 5, 7]), np.array([3, 2]), {},
        )
    ],
)  # fmt: skip
def set_size_op(xp: Any, set_indices: Any, set_values: Any, set_shape: Any) -> Any:
    """Counts the different elements of each set."""
    sizes = np.zeros(tuple(set_shape[:-1].tolist()), np.int32)
    for place, items in _groups(set_indices, set_values).items():
        sizes[place] = len(items)
    return sizes


@set_size_op.shape
def _set_size_shape(set_indices: Any, set_values: Any, set_shape: Any) -> Any:
    sizes = set_shape.partial_shape
    return sizes[:-1] if sizes.ndims is not None else None


def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different elements the sets along the last axis of a `SparseTensor` have."""
    return set_size_op(*as_sparse(a)._components())


# ---- EditDistance ------------------------------------------------------------------------


def _distance(one: list, other: list) -> int:
    """How many elements have to be put in, taken out or replaced to turn one into the other."""
    row = list(range(len(other) + 1))
    for i, item in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, wanted in enumerate(other, 1):
            change = before + (item != wanted)
            before = row[j]
            row[j] = min(change, row[j] + 1, row[j - 1] + 1)
    return row[-1]


@op(
    "EditDistance",
    "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
    "truth_indices: int64, truth_values: T, truth_shape: int64 -> output: float32",
    host_only=True,
    differentiable=False,
    samples=[
        lambda rng: (
            np.array([[0, 0], [0, 1]]), np.array([1, 2]), np.array([2, 2]),
            np.array([[0, 0], [1, 0]]), np.array([1, 3]), np.array([2, 1]), {},
        )
    ],
)  # fmt: skip
def edit_distance_op(xp: Any, *hypothesis_and_truth: Any, normalize: bool = True) -> Any:
    """Computes the Levenshtein distance of the sequences at the same place."""
    *hypothesis, hypothesis_shape, truth_indices, truth_values, truth_shape = hypothesis_and_truth
    if len(hypothesis_shape) != len(truth_shape):
        raise invalid("Expected hypothesis and truth to have matching ranks")
    sizes = np.maximum(hypothesis_shape[:-1], truth_shape[:-1])
    hypotheses, truths = _sequences(*hypothesis), _sequences(truth_indices, truth_values)
    result = np.zeros(tuple(sizes.tolist()), np.float32)
    for place in {*hypotheses, *truths}:
        truth = truths.get(place, [])
        distance: float = _distance(hypotheses.get(place, []), truth)
        if normalize:
            distance = distance / len(truth) if truth else np.inf
        result[place] = distance
    return result


@edit_distance_op.shape
def _edit_distance_shape(*inputs: Any, normalize: bool) -> Any:
    one, other = inputs[2].partial_shape, inputs[5].partial_shape
    if not one.is_fully_defined() or not other.is_fully_defined():
        return TensorShape([None] * (one.ndims - 1)) if one.ndims else None
    if one.ndims != other.ndims:
        raise ValueError(
            "Num elements of hypothesis_shape does not match truth_shape: "
            f"{one.ndims} vs. {other.ndims}"
        )
    pairs = zip(one.as_list()[:-1], other.as_list()[:-1], strict=True)
    return TensorShape([max(a, b) for a, b in pairs])


def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """The Levenshtein distance between sequences.

    Args:
      hypothesis: a `SparseTensor` of sequences along the last axis.
      truth: another of the same type.
      normalize: whether to divide by the length of the truth; infinity where that is empty.
      name: the name.
    Returns: float32, a distance for each sequence.
    Raises:
      TypeError: when one is no `SparseTensor`.
    """
    for given, what in ((hypothesis, "Hypothesis"), (truth, "Truth")):
        if not isinstance(given, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"{what} must be a SparseTensor.")
    one, other = as_sparse(hypothesis), as_sparse(truth)
    return edit_distance_op(
        *one._components(), *other._components(), normalize=normalize, name=name
    )

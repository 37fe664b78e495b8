"""Rows as sets, and rows as words: set operations, and the distance between two sequences.

A set is the last axis of a tensor, or of a `SparseTensor`, where sets of different sizes stand in
one batch. The results are sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.composites import SparseTensor, SparseTensorValue
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.library.sparse.sparse import as_sparse

# ---- sets --------------------------------------------------------------------------------


def _sequences(indices: Any, values: Any) -> dict[tuple, list]:
    """The elements of each row, by its place in the other axes."""
    found: dict[tuple, list] = {}
    for place, value in zip(indices[:, :-1].tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place), []).append(value)
    return found


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
            np.array([[0, 0], [0, 1]]),
            np.array([1, 2]),
            np.array([2, 2]),
            np.array([[0, 0], [1, 0]]),
            np.array([1, 3]),
            np.array([2, 1]),
            {},
        )
    ],
)
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

"""Trees as operations of a graph: the forest is in variables, and each operation is a function.

    features ──buckets──> [batch, features] int32 ──predict──> logits ──loss──> slopes, curvatures
                                                       ^                               |
               variables of the forest  ───────────────┴──<──── assign <──── grow <────┘

Nothing is hidden in a resource, so that checkpoints, parameter servers and `sess.run` see trees as
they see any other variables.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.library.trees.forest import (
    Forest,
    Growth,
    accumulate,
    grow_layer,
    leaves_of,
    paths,
    sapling,
)


def _grown() -> Forest:
    """A tree of one split, as a sample."""
    stats = np.zeros((2, 1, 2, 2), np.float32)
    stats[..., 1] = 1.0
    stats[1, 0, :, 0] = (-1.0, 2.0)
    return grow_layer(sapling(1, False), stats, Growth(l2=0.1))


_FEATURES = np.array([[0, 1], [1, 0], [1, 1]], np.int32)


@op(
    "BoostedTreesBucketize",
    "values: float32, boundaries: float32 -> output: int32",
    host_only=True,
    samples=[
        lambda rng: (
            np.float32(rng.normal(size=(4, 2))),
            np.array([[0, 1], [-1, 0]], np.float32),
            {},
        )
    ],
)
def bucketize_op(xp: Any, values: Any, boundaries: Any) -> Any:
    """Finds for each number how many boundaries of its own column lie below it."""
    columns = [np.searchsorted(row, column) for row, column in zip(boundaries, values.T)]
    return np.stack(columns, 1).astype(np.int32).reshape(values.shape)


bucketize_op.shape(unchanged_shape)


@op(
    "BoostedTreesQuantiles",
    "seen: float32, batches: int64, boundaries: float32, ready: bool, values: float32 -> "
    "new_seen: float32, new_batches: int64, new_boundaries: float32, new_ready: bool",
    sized_by_values=True,
    alias=True,
    host_only=True,
    differentiable=False,
    samples=[
        lambda rng: (
            np.zeros((0, 2), np.float32),
            np.int64(0),
            np.zeros((2, 3), np.float32),
            np.bool_(False),
            rng.normal(size=(9, 2)).astype(np.float32),
            {"n_batches": 1},
        )
    ],
)
def quantiles_op(
    xp: Any, seen: Any, batches: Any, boundaries: Any, ready: Any, values: Any, *, n_batches: int
) -> Any:
    """Collects batches of numbers, and cuts each column of them into buckets of as many."""
    if ready:
        return seen, batches, boundaries, ready
    seen, batches = np.concatenate([seen, values]), batches + 1
    if batches < n_batches:
        return seen, np.int64(batches), boundaries, ready
    parts = np.linspace(0.0, 1.0, boundaries.shape[1] + 2)[1:-1]
    cuts = np.quantile(seen, parts, axis=0, method="lower").T.astype(np.float32)
    bounds = np.full_like(boundaries, np.inf)
    for row, own in zip(bounds, cuts):
        own = np.unique(own)
        row[: len(own)] = own
    return seen[:0], np.int64(0), bounds, np.array(True)


quantiles_op.shape(
    lambda seen, batches, boundaries, ready, values, n_batches: [
        unknown_shape(),
        TensorShape([]),
        boundaries.shape,
        TensorShape([]),
    ]
)


@op(
    "BoostedTreesPredict",
    "features: int32, splits: int32, values: float32, roots: int32 -> "
    "logits: float32, leaves: int32",
    host_only=True,
    differentiable=False,
    samples=[
        lambda rng: (_FEATURES, _grown().splits, _grown().values, _grown().roots, {"dims": 1})
    ],
)
def predict_op(xp: Any, features: Any, splits: Any, values: Any, roots: Any, *, dims: int) -> Any:
    """Adds up the values of the leaves of all trees; tells the leaves of the last tree."""
    leaves = leaves_of(splits, roots, features)
    return values[leaves].sum(axis=1), leaves[:, -1].astype(np.int32)


@predict_op.shape
def _predict_shape(features: Any, splits: Any, values: Any, roots: Any, *, dims: int) -> Any:
    batch = features.shape.with_rank(2)[0]
    return [TensorShape([batch, dims]), TensorShape([batch])]


@op(
    "BoostedTreesPaths",
    "features: int32, splits: int32, values: float32, roots: int32 -> asked: int32, sums: float32",
    sized_by_values=True,
    host_only=True,
    differentiable=False,
    samples=[lambda rng: (_FEATURES, _grown().splits, _grown().values, _grown().roots, {})],
)
def paths_op(xp: Any, features: Any, splits: Any, values: Any, roots: Any) -> Any:
    """Tells which features decide for each example, and the prediction after each of them."""
    asked, sums = paths(splits, values, roots, features)
    return asked.astype(np.int32), sums.astype(np.float32)


@paths_op.shape
def _paths_shape(features: Any, splits: Any, values: Any, roots: Any) -> Any:
    batch = features.shape.with_rank(2)[0]
    return [TensorShape([batch, None]), TensorShape([batch, None])]


@op(
    "BoostedTreesGrow",
    "features: int32, leaves: int32, slopes: float32, ready: bool, splits: int32, values: float32, "
    "gains: float32, roots: int32, progress: int64, stats: float32, batches: int64 -> "
    "new_splits: int32, new_values: float32, new_gains: float32, new_roots: int32, "
    "new_progress: int64, new_stats: float32, new_batches: int64",
    sized_by_values=True,
    alias=True,
    host_only=True,
    differentiable=False,
    attrs=Growth,
    samples=[
        lambda rng: (
            _FEATURES,
            np.zeros(3, np.int32),
            rng.uniform(size=(3, 2)).astype(np.float32),
            np.array(True),
            *sapling(1, False).arrays(),
            np.zeros((1, 1, 1, 2), np.float32),
            np.int64(0),
            {"n_batches": 1, "buckets": 2},
        )
    ],
)
def grow_op(
    xp: Any,
    features: Any,
    leaves: Any,
    slopes: Any,
    ready: Any,
    splits: Any,
    values: Any,
    gains: Any,
    roots: Any,
    progress: Any,
    stats: Any,
    batches: Any,
    *,
    n_batches: int,
    buckets: int,
    **growth: Any,
) -> Any:
    """Adds a batch to the histograms of a layer, and grows it when it has seen enough batches."""
    forest = Forest(splits, values, gains, roots, progress)
    if ready:
        forest, stats, count = accumulate(
            forest,
            stats,
            int(batches),
            (features, leaves, slopes),
            Growth(**growth),
            n_batches,
            buckets,
        )
        batches = np.int64(count)
    return *forest.arrays(), stats, batches


@grow_op.shape
def _grow_shape(*inputs: Any, **attrs: Any) -> Any:
    dims = inputs[5].shape.with_rank(2)[1]
    shapes = [[None, 4], [None, dims], [None], [None], [5], [None] * 4, []]
    return [TensorShape(shape) for shape in shapes]

"""Random forests that learn from batches: extremely randomized trees, grown as examples come by.

A leaf counts the classes of the examples that reach it. Its first examples propose splits: a random
feature, and their own value of it as the threshold. For each proposal the leaf counts the classes
of those that would go to the left. After `split_after_samples` examples the proposal that leaves
the purest halves (by Gini's index) becomes the split, and the leaf's two children begin to count.

    leaf 7   counts [12, 80, 9]      proposals  pixel 301 <= 0.4: left [1, 60, 8]    <- the best
                                                pixel 17  <= 0.0: left [6, 40, 4]

The trees are arrays in variables, as boosted trees are; one operation takes a batch and gives the
arrays back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape

FEATURE, LEFT, RIGHT = range(3)


class Trees(NamedTuple):
    """The trees of a random forest.

    Args:
      splits: [trees, nodes, 3] int32: feature (-1 in a leaf), left, right.
      thresholds: [trees, nodes] float32: those at most this go to the left.
      counts: [trees, nodes, width] float32: how many examples of each class reach a node.
      used: [trees] int32: how many nodes there are yet.
      features, proposals: [trees, nodes, proposals] the proposed splits, a feature of -1 where none
        is yet.
      lefts: [trees, nodes, proposals, width] the counts of their left sides.
    """

    splits: Any
    thresholds: Any
    counts: Any
    used: Any
    features: Any
    proposals: Any
    lefts: Any


def seeds(trees: int, nodes: int, width: int, proposals: int) -> dict[str, tuple]:
    """Shape, type and first value of each of the arrays, for trees with room for so many nodes."""
    space = (trees, nodes)
    return {
        "splits": ((*space, 3), np.int32, -1),
        "thresholds": (space, np.float32, 0),
        "counts": ((*space, width), np.float32, 0),
        "used": ((trees,), np.int32, 1),
        "features": ((*space, proposals), np.int32, -1),
        "proposals": ((*space, proposals), np.float32, 0),
        "lefts": ((*space, proposals, width), np.float32, 0),
    }


def planted(trees: int, nodes: int, width: int, proposals: int) -> Trees:
    """Trees of one leaf each."""
    kinds = seeds(trees, nodes, width, proposals).values()
    return Trees(*(np.full(shape, value, dtype) for shape, dtype, value in kinds))


def leaves_of(splits: Any, thresholds: Any, x: Any) -> Any:
    """[batch] the leaf of one tree in which each example ends.

    Args:
      splits, thresholds: of one tree.
      x: [batch, features] float32.
    """
    nodes, rows = np.zeros(len(x), np.int64), np.arange(len(x))
    while True:
        split = splits[nodes]
        inner = split[:, FEATURE] >= 0
        if not inner.any():
            return nodes
        left = x[rows, split[:, FEATURE]] <= thresholds[nodes]
        nodes = np.where(inner, np.where(left, split[:, LEFT], split[:, RIGHT]), nodes)


def _impurity(counts: Any) -> Any:
    """[...] how mixed leaves of [..., width] counts are: Gini's index times their examples."""
    total = counts.sum(-1)
    return total - (counts * counts).sum(-1) / np.maximum(total, 1e-9)


def learn(trees: Trees, x: Any, added: Any, rng: Any, split_after: int, bagging: float) -> Trees:
    """The trees after a batch.

    Args:
      trees: the trees; their arrays are written over.
      x: [batch, features] float32.
      added: [batch, width] the class of each example as a row of zeros and a one.
      rng: decides proposals and bags.
      split_after: how many examples a leaf sees before it is split.
      bagging: which part of the examples each tree sees.
    """
    for number in range(len(trees.used)):
        tree = Trees(*(array[number : number + 1] for array in trees))
        if bagging < 1:
            chosen = rng.random(len(x)) < bagging
            _learn_tree(tree, x[chosen], added[chosen], rng, split_after)
        else:
            _learn_tree(tree, x, added, rng, split_after)
    return trees


def _learn_tree(tree: Trees, x: Any, added: Any, rng: Any, split_after: int) -> None:
    splits, thresholds, counts, _, features, proposals, lefts = (array[0] for array in tree)
    leaves = leaves_of(splits, thresholds, x)
    np.add.at(counts, leaves, added)
    if tree.used[0] + 2 > len(splits):
        return  # the tree is full: nothing is to be split any more
    _propose(features, proposals, leaves, x, rng)
    chosen = features[leaves]  # [batch, proposals]
    inside = (x[np.arange(len(x))[:, None], chosen] <= proposals[leaves]) & (chosen >= 0)
    rows, places = np.nonzero(inside)
    np.add.at(lefts, (leaves[rows], places), added[rows])
    full = (counts.sum(-1) >= split_after) & (splits[:, FEATURE] < 0)
    for leaf in np.flatnonzero(full):
        if tree.used[0] + 2 <= len(splits) and _impurity(counts[leaf]) > 1e-6:
            _split(tree, int(leaf))


def _propose(features: Any, proposals: Any, leaves: Any, x: Any, rng: Any) -> None:
    """Lets the examples that come first to a leaf propose the splits that it has room for."""
    room = np.flatnonzero((features[leaves] < 0).any(axis=1))
    for leaf in np.unique(leaves[room]):
        free = np.flatnonzero(features[leaf] < 0)
        own = room[leaves[room] == leaf][: len(free)]
        free = free[: len(own)]
        features[leaf, free] = rng.integers(x.shape[1], size=len(own))
        proposals[leaf, free] = x[own, features[leaf, free]]


def _split(tree: Trees, leaf: int) -> None:
    splits, thresholds, counts, _, features, proposals, lefts = (array[0] for array in tree)
    left, right = lefts[leaf], counts[leaf] - lefts[leaf]
    mixed = _impurity(left) + _impurity(right)
    empty = np.minimum(left.sum(-1), right.sum(-1)) < 1
    mixed = np.where(empty | (features[leaf] < 0), np.inf, mixed)
    best = int(mixed.argmin())
    if not np.isfinite(mixed[best]):
        features[leaf] = -1  # none of them divides anything: others are to be proposed
        lefts[leaf] = 0.0
        return
    below = int(tree.used[0])
    splits[leaf] = features[leaf, best], below, below + 1
    thresholds[leaf] = proposals[leaf, best]
    counts[below], counts[below + 1] = left[best], right[best]
    tree.used[0] += 2


# ---- as operations -----------------------------------------------------------------------

_X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]], np.float32)


def _grown() -> Trees:
    trees, rng = planted(2, 5, 2, 4), np.random.default_rng(0)
    return learn(trees, _X, np.eye(2, dtype=np.float32)[[0, 1, 1, 0]], rng, 2, 1.0)


@op(
    "RandomForestLearn",
    "x: float32, added: float32, splits: int32, thresholds: float32, counts: float32, "
    "used: int32, features: int32, proposals: float32, lefts: float32 -> "
    "new_splits: int32, new_thresholds: float32, new_counts: float32, "
    "new_used: int32, new_features: int32, new_proposals: float32, new_lefts: float32",
    host_only=True,
    differentiable=False,
    samples=[
        lambda rng: (
            _X,
            np.eye(2, dtype=np.float32)[[0, 1, 1, 0]],
            *planted(2, 5, 2, 4),
            {"split_after": 2, "bagging": 1.0, "seed": 3},
        )
    ],
)
def learn_op(
    xp: Any,
    x: Any,
    added: Any,
    splits: Any,
    thresholds: Any,
    counts: Any,
    used: Any,
    features: Any,
    proposals: Any,
    lefts: Any,
    *,
    split_after: int,
    bagging: float,
    seed: int,
) -> Any:
    """Lets the trees see a batch."""
    given = splits, thresholds, counts, used, features, proposals, lefts
    trees = Trees(*(np.array(array) for array in given))
    rng = np.random.default_rng((seed, int(counts.sum())))  # another batch, other proposals
    return tuple(learn(trees, x, added, rng, split_after, bagging))


@learn_op.shape
def _learn_shape(x: Any, added: Any, *arrays: Any, **attrs: Any) -> Any:
    return [array.shape for array in arrays]


@op(
    "RandomForestPredict",
    "x: float32, splits: int32, thresholds: float32, counts: float32 -> predictions: float32",
    host_only=True,
    differentiable=False,
    samples=[lambda rng: (_X, *_grown()[:3], {})],
)
def predict_op(xp: Any, x: Any, splits: Any, thresholds: Any, counts: Any) -> Any:
    """Gives the mean over the trees of the parts that the classes have in their leaves."""
    found = []
    for tree in range(len(splits)):
        inside = counts[tree, leaves_of(splits[tree], thresholds[tree], x)]
        found.append(inside / np.maximum(inside.sum(-1, keepdims=True), 1e-9))
    return np.mean(found, 0).astype(np.float32)


@predict_op.shape
def _predict_shape(x: Any, splits: Any, thresholds: Any, counts: Any) -> Any:
    return TensorShape([x.shape.with_rank(2)[0], counts.shape.with_rank(3)[2]])

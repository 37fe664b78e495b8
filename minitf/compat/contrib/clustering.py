"""Clusters of points: nearest centers, and first centers that are far from each other.

k-means++   each next center is drawn with a probability that grows with the squared distance to
            the centers there are; of several draws the one that lowers the total most is taken
k-MC2       the same draw approached by a random walk over candidates, without all distances
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape


def _squared_distances(xp: Any, points: Any, centers: Any) -> Any:
    """[n, k] squared distances of points [n, d] and centers [k, d]."""
    products = points @ centers.T
    squares = (points * points).sum(axis=1)[:, None] + (centers * centers).sum(axis=1)[None, :]
    return xp.maximum(squares - 2 * products, 0)


@op(
    "KmeansPlusPlusInitialization",
    "points: float32, num_to_sample: int64, seed: int64, num_retries_per_sample: int64"
    " -> samples: float32",
    host=("num_to_sample", "seed"),
    samples=[
        lambda rng: (
            rng.normal(size=(8, 2)).astype(np.float32),
            np.int64(3),
            np.int64(1),
            np.int64(2),
            {},
        )
    ],
    differentiable=False,
)
def kmeans_plus_plus(xp: Any, points: Any, num_to_sample: Any, seed: Any, retries: Any) -> Any:
    """First centers by k-means++ [num_to_sample, d].

    Raises:
      InvalidArgumentError: when there are fewer points than centers.
    """
    count = int(num_to_sample)
    if count > len(points):
        raise errors.InvalidArgumentError(
            None, None, f"Expected num_points >= num_to_sample: {len(points)} vs {count}."
        )
    rng = np.random.default_rng(int(seed))
    chosen = [int(rng.integers(len(points)))]
    nearest = _squared_distances(xp, points, points[chosen])[:, 0]
    while len(chosen) < count:
        total = float(nearest.sum())
        cumulated = xp.cumsum(nearest)
        draws = rng.random(int(retries) + 1) * total
        candidates = [min(int((cumulated < d).sum()), len(points) - 1) for d in draws]
        options = xp.minimum(nearest[:, None], _squared_distances(xp, points, points[candidates]))
        best = int(options.sum(axis=0).argmin())
        chosen.append(candidates[best])
        nearest = options[:, best]
    return points[chosen]


@kmeans_plus_plus.shape
def _kmeans_plus_plus_shape(points: Any, num_to_sample: Any, seed: Any, retries: Any) -> Any:
    count = None if num_to_sample.value is None else int(num_to_sample.value)
    return TensorShape([count, points.shape.with_rank(2)[1]])


@op(
    "KMC2ChainInitialization",
    "distances: float32, seed: int64 -> index: int64",
    host=("seed",),
    samples=[lambda rng: (rng.random(9).astype(np.float32), np.int64(3), {})],
)
def kmc2_chain(xp: Any, distances: Any, seed: Any) -> Any:
    """Walks along candidates, and says which one it ends at.

    It moves from candidate i to a later one j with probability `min(1, distance_j / distance_i)`.
    """
    rng = np.random.default_rng(int(seed))
    place = 0
    for i in range(1, len(distances)):
        here, there = float(distances[place]), float(distances[i])
        if here <= 0 or there / here > rng.random():
            place = i
    return xp.asarray(place, np.int64)[()]


@kmc2_chain.shape
def _kmc2_chain_shape(distances: Any, seed: Any) -> Any:
    distances.shape.with_rank(1)
    return TensorShape([])

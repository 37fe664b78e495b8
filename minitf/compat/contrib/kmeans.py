"""`tf.contrib.factorization.KMeans`: the training graph of k-means clustering.

kmeans = KMeans(inputs=X, num_clusters=25, distance_metric="cosine", use_mini_batch=True)
all_scores, cluster_idx, scores, initialized, init_op, train_op = kmeans.training_graph()

init_op     draws the first centers from the inputs
train_op    full batch:  center = mean of the points that are nearest to it
            mini batch:  center += (sum of its points - count * center) / points it ever had
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.compat.contrib.clustering import kmc2_chain, kmeans_plus_plus
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, shape
from minitf.core.ops.array_filling import fill, ones_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, where_v2
from minitf.core.ops.control import group
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import add_n, divide, maximum, multiply, square, subtract
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import argmin, reduce_min, reduce_sum
from minitf.core.ops.segments import unsorted_segment_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.variables import Variable
from minitf.library.nets.basics import l2_normalize

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"
_EPSILON = 1e-6


class KMeans:
    """Builds the graph of k-means clustering.

    Args:
      inputs: points [n, d], or a list of such tensors.
      num_clusters: how many centers.
      initial_clusters: "random", "kmeans_plus_plus", "kmc2", the centers themselves, or a function
        of the inputs and the number of centers.
      distance_metric: "squared_euclidean" or "cosine".
      use_mini_batch: whether the inputs of a step are a part of the data only.
      mini_batch_steps_per_iteration: after how many steps the moved centers are used.
      random_seed: for the first centers.
      kmeans_plus_plus_num_retries: further draws for each center.
      kmc2_chain_length: steps of the random walk for each center.
    """

    SQUARED_EUCLIDEAN_DISTANCE = SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = COSINE_DISTANCE
    RANDOM_INIT = RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = KMEANS_PLUS_PLUS_INIT
    KMC2_INIT = KMC2_INIT

    def __init__(
        self,
        inputs: Any,
        num_clusters: int,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric passed to Kmeans {distance_metric}")
        several = isinstance(inputs, (list, tuple))
        self._inputs = [convert_to_tensor(x) for x in (inputs if several else [inputs])]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._cosine = distance_metric == COSINE_DISTANCE
        self._use_mini_batch = use_mini_batch
        self._steps_per_iteration = int(mini_batch_steps_per_iteration)
        self._seed = random_seed
        self._retries = kmeans_plus_plus_num_retries
        self._chain_length = kmc2_chain_length

    def training_graph(self) -> tuple[list, tuple, list, Any, Any, Any]:
        """Builds it.

        Returns: for each input the distances [n, k], the number of the nearest center [n] and the
          distance to it [n]; whether the centers are initialized; the operation that initializes
          them; the operation of a step.
        """
        dtype = self._inputs[0].dtype.base_dtype
        inputs = [l2_normalize(x, 1) for x in self._inputs] if self._cosine else self._inputs
        depth = inputs[0].shape[1]
        start = np.zeros((self._num_clusters, int(depth)), dtype.as_numpy_dtype)
        centers = Variable(start, name="clusters", trainable=False)
        initialized = Variable(False, name="initialized", trainable=False)
        first = convert_to_tensor(self._first_centers(concat(inputs, 0)), dtype=dtype)
        if self._cosine:
            first = l2_normalize(first, 1)
        all_scores = [self._distances(x, centers) for x in inputs]
        nearest = [argmin(scores, 1) for scores in all_scores]
        scores = [reduce_min(distances, 1) for distances in all_scores]
        assigned = assign(centers, first)
        if self._use_mini_batch:
            moved = Variable(start, name="clusters_updated", trainable=False)
            with control_dependencies([assigned]):
                assigned = assign(moved, first)
            train = self._mini_batch_step(inputs, nearest, centers, moved)
        else:
            train = self._full_batch_step(inputs, nearest, centers)
        with control_dependencies([assigned]):
            init = assign(initialized, True).op
        return all_scores, tuple(nearest), scores, initialized, init, train

    def _distances(self, x: Tensor, centers: Any) -> Tensor:
        """[n, k]: squared Euclidean distances, or one minus the cosine, of unit vectors."""
        products = matmul(x, centers, transpose_b=True)
        if self._cosine:
            return 1 - products
        squares = reduce_sum(square(x), 1, keepdims=True)
        return squares - 2 * products + expand_dims(reduce_sum(square(centers), 1), 0)

    # ---- the first centers ---------------------------------------------------------------------

    def _first_centers(self, points: Tensor) -> Any:
        chosen = self._initial_clusters
        makers: dict[Any, Callable[[Tensor], Any]] = {
            RANDOM_INIT: self._random,
            KMEANS_PLUS_PLUS_INIT: self._plus_plus,
            KMC2_INIT: self._kmc2,
        }
        if isinstance(chosen, str):
            if chosen not in makers:
                raise ValueError(f"Unsupported initialization algorithm '{chosen}'")
            return makers[chosen](points)
        return chosen(self._inputs, self._num_clusters) if callable(chosen) else chosen

    def _drawn(self, points: Tensor, size: int, seed: int) -> Tensor:
        """Some of the points, chosen at random."""
        count = cast(shape(points)[0], dtypes.int64)
        return gather(points, random_uniform([size], maxval=count, dtype=dtypes.int64, seed=seed))

    def _random(self, points: Tensor) -> Tensor:
        return self._drawn(points, self._num_clusters, self._seed)

    def _plus_plus(self, points: Tensor) -> Tensor:
        points = cast(points, dtypes.float32)
        return kmeans_plus_plus(points, self._num_clusters, self._seed, self._retries)

    def _kmc2(self, points: Tensor) -> Tensor:
        points = cast(points, dtypes.float32)
        centers = self._drawn(points, 1, self._seed)
        for number in range(1, self._num_clusters):
            candidates = self._drawn(points, self._chain_length, self._seed + number)
            squares = reduce_sum(square(expand_dims(candidates, 1) - expand_dims(centers, 0)), 2)
            place = kmc2_chain(reduce_min(squares, 1), self._seed + number)
            centers = concat([centers, gather(candidates, expand_dims(place, 0))], 0)
        return centers

    # ---- one step --------------------------------------------------------------------------------

    def _sums_and_counts(self, inputs: list, nearest: list) -> tuple[Tensor, Tensor]:
        """For each center the sum [k, d] and the number [k, 1] of the points nearest to it."""
        k = self._num_clusters
        sums = [unsorted_segment_sum(x, i, k) for x, i in zip(inputs, nearest, strict=True)]
        ones = [ones_like(x[:, :1]) for x in inputs]
        counts = [unsorted_segment_sum(o, i, k) for o, i in zip(ones, nearest, strict=True)]
        return add_n(sums), add_n(counts)

    def _full_batch_step(self, inputs: list, nearest: list, centers: Any) -> Any:
        sums, counts = self._sums_and_counts(inputs, nearest)
        means = divide(sums, counts + _EPSILON)
        if self._cosine:
            means = l2_normalize(means, 1)
        return assign(centers, means).op

    def _mini_batch_step(self, inputs: list, nearest: list, centers: Any, moved: Any) -> Any:
        dtype = centers.dtype.base_dtype
        first = 1 if self._steps_per_iteration == 1 else 0  # the first center counts as a point
        totals = Variable(
            fill([self._num_clusters, 1], convert_to_tensor(first, dtype)),
            name="total_counts",
            trainable=False,
        )
        sums, counts = self._sums_and_counts(inputs, nearest)
        with control_dependencies([sums, counts]):
            total = assign_add(totals, counts)
        before = identity(moved)
        step = divide(subtract(sums, multiply(counts, before)), maximum(total, 1))
        after = before + step
        if self._cosine:
            after = l2_normalize(after, 1)
        update = assign(moved, after)
        if self._steps_per_iteration == 1:
            return group(update, assign(centers, update))
        steps = Variable(0, name="update_in_steps", trainable=False, dtype=dtypes.int64)
        done = assign_add(steps, 1)
        due = equal(done % self._steps_per_iteration, 0)
        return group(assign(centers, where_v2(due, update, identity(centers))))

"""k-means, as `tf.contrib.factorization` and `tf.estimator.experimental.KMeans` have it.

kmeans = KMeans(inputs=X, num_clusters=25, distance_metric="cosine", use_mini_batch=True)
all_scores, cluster_idx, scores, initialized, init_op, train_op = kmeans.training_graph()

init_op     draws the first centers from the inputs; with k-means++ the next one with a
            probability that grows with the squared distance to the centers there are
train_op    full batch:  center = mean of the points that are nearest to it
            mini batch:  center += (sum of its points - count * center) / points it ever had
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, shape
from minitf.core.ops.array_filling import fill, ones_like
from minitf.core.ops.array_gathering import gather, unsorted_segment_sum
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import add_n, divide, maximum, multiply, square, subtract
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import argmin, reduce_min, reduce_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.variables import Variable
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.export import PredictOutput
from minitf.library.estimator.spec import EstimatorSpec
from minitf.library.feature_columns.models import input_layer
from minitf.library.metrics.metrics import mean
from minitf.library.nets.basics import l2_normalize
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from minitf.library.sessions.basic_hooks import SessionRunHook
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary

# ---- the graph ---------------------------------------------------------------------------------


_EPSILON = 1e-6


class Choices:
    """The names of distances, and of the way to choose the first centers."""

    SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
    COSINE_DISTANCE = "cosine"
    RANDOM_INIT = "random"


class KMeans(Choices):
    """Builds the graph of k-means clustering.

    Args:
      inputs: points [n, d], or a list of such tensors.
      num_clusters: how many centers.
      initial_clusters: "random", the centers themselves, or a function of the
        inputs and the number of centers.
      distance_metric: "squared_euclidean" or "cosine".
      use_mini_batch: whether the inputs of a step are a part of the data only.
      random_seed: for the first centers.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: int,
        initial_clusters: Any = Choices.RANDOM_INIT,
        distance_metric: str = Choices.SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        random_seed: int = 0,
    ) -> None:
        if distance_metric not in (self.SQUARED_EUCLIDEAN_DISTANCE, self.COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric passed to Kmeans {distance_metric}")
        several = isinstance(inputs, (list, tuple))
        self._inputs = [convert_to_tensor(x) for x in (inputs if several else [inputs])]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._cosine = distance_metric == self.COSINE_DISTANCE
        self._use_mini_batch = use_mini_batch
        self._seed = random_seed

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
        """Some of the points, chosen at random; or what the program gives."""
        chosen = self._initial_clusters
        if not isinstance(chosen, str):
            return chosen(self._inputs, self._num_clusters) if callable(chosen) else chosen
        if chosen != self.RANDOM_INIT:
            raise ValueError(f"Unsupported initialization algorithm '{chosen}'")
        count, some = cast(shape(points)[0], dtypes.int64), [self._num_clusters]
        numbers = random_uniform(some, maxval=count, dtype=dtypes.int64, seed=self._seed)
        return gather(points, numbers)

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
        totals = Variable(  # the first center counts as a point
            fill([self._num_clusters, 1], convert_to_tensor(1, dtype)),
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
        return group(update, assign(centers, update))


# ---- the estimator -----------------------------------------------------------------------------


class ChooseCenters(SessionRunHook):
    """Has the first centers chosen before the first step."""

    def __init__(self, choose: Any, chosen: Any, is_chief: bool) -> None:
        self._choose, self._chosen, self._is_chief = choose, chosen, is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        while not session.run(self._chosen):
            if self._is_chief:
                session.run(self._choose)
            else:
                time.sleep(1)


class KMeansClustering(Choices, Estimator):
    """Finds clusters of points.

    Args:
      num_clusters: how many.
      model_dir, config: see `tf.estimator.Estimator`.
      initial_clusters: "random", the centers, or a function that makes them.
      distance_metric: "squared_euclidean" or "cosine".
      seed: of the choice of the first centers.
      use_mini_batch: whether a batch is a part of the data only.
      feature_columns: the columns of the points; by default all features side by side.
      random_seed: the older name of `seed`.

    Raises:
      ValueError: when a choice is not known.
    """

    SCORE, CLUSTER_INDEX, ALL_DISTANCES = "score", "cluster_index", "all_distances"
    CLUSTER_CENTERS_VAR_NAME = "clusters"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = "random",
        distance_metric: str = "squared_euclidean",
        seed: int | None = None,
        use_mini_batch: bool = True,
        config: Any = None,
        feature_columns: Any = None,
        random_seed: int | None = None,
    ) -> None:
        if isinstance(initial_clusters, str) and initial_clusters != self.RANDOM_INIT:
            raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
        if distance_metric not in (self.SQUARED_EUCLIDEAN_DISTANCE, self.COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric '{distance_metric}'")
        self._distance_metric = distance_metric

        def model_fn(features: Any, mode: str, config: Any) -> EstimatorSpec:
            graph = KMeans(
                side_by_side(features, feature_columns),
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                (random_seed or 0) if seed is None else seed,
            )
            distances, nearest, losses, chosen, choose, step = graph.training_graph()
            loss = reduce_sum(losses)
            summary.scalar("loss/raw", loss)
            with control_dependencies([step, assign_add(get_global_step(), 1)]):
                train_op = identity(loss)
            hooks: list[SessionRunHook] = [ChooseCenters(choose, chosen, config.is_chief)]
            index = PredictOutput(nearest[0])
            return EstimatorSpec(
                mode,
                {self.ALL_DISTANCES: distances[0], self.CLUSTER_INDEX: nearest[0]},
                loss,
                train_op,
                {self.SCORE: mean(loss)},
                {
                    self.ALL_DISTANCES: PredictOutput(distances[0]),
                    self.CLUSTER_INDEX: index,
                    DEFAULT_SERVING_SIGNATURE_DEF_KEY: index,
                },
                training_hooks=hooks,
            )

        super().__init__(model_fn, model_dir, config)

    def _predicted(self, input_fn: Callable, key: str) -> Iterator[Any]:
        return (found[key] for found in self.predict(input_fn, predict_keys=[key]))

    def score(self, input_fn: Callable) -> Any:
        """The sum of the distances of the points of a batch to their centers."""
        return self.evaluate(input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn: Callable) -> Iterator[Any]:
        """The distances of each point to all centers."""
        found = self._predicted(input_fn, self.ALL_DISTANCES)
        squared = self._distance_metric == self.SQUARED_EUCLIDEAN_DISTANCE
        return (np.sqrt(distances) if squared else distances for distances in found)


def side_by_side(features: Any, columns: Any = None) -> Any:
    """The points [n, d]: those of the columns, or all features in the order of their names."""
    if not isinstance(features, dict):
        return features
    if columns:
        return input_layer(features, columns)
    return concat([features[name] for name in sorted(features)], 1)

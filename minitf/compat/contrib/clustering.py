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

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
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
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.export import PredictOutput
from minitf.library.estimator.spec import EstimatorSpec
from minitf.library.feature_columns.models import input_layer
from minitf.library.metrics.metrics import mean
from minitf.library.nets.basics import l2_normalize
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from minitf.library.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary

# ---- first centers -----------------------------------------------------------------------------


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


# ---- the graph ---------------------------------------------------------------------------------


SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
_EPSILON = 1e-6


class KMeans:
    """Builds the graph of k-means clustering.

    Args:
      inputs: points [n, d], or a list of such tensors.
      num_clusters: how many centers.
      initial_clusters: "random", "kmeans_plus_plus", the centers themselves, or a function of the
        inputs and the number of centers.
      distance_metric: "squared_euclidean" or "cosine".
      use_mini_batch: whether the inputs of a step are a part of the data only.
      mini_batch_steps_per_iteration: after how many steps the moved centers are used.
      random_seed: for the first centers.
      kmeans_plus_plus_num_retries: further draws for each center.
    """

    SQUARED_EUCLIDEAN_DISTANCE = SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = COSINE_DISTANCE
    RANDOM_INIT = RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = KMEANS_PLUS_PLUS_INIT

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


# ---- the estimator -----------------------------------------------------------------------------


class _StopWhenSettled(SessionRunHook):
    """Ends training when the loss changes by a small part of it only."""

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss, self._tolerance = loss, tolerance
        self._before: float | None = None

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        loss, before = float(run_values.results), self._before
        if before and abs(loss - before) / (1 + abs(before)) < self._tolerance:
            run_context.request_stop()
        self._before = loss


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


class KMeansClustering(Estimator):
    """Finds clusters of points.

    Args:
      num_clusters: how many.
      model_dir, config: see `tf.estimator.Estimator`.
      initial_clusters: "random", "kmeans_plus_plus", the centers, or a function that makes them.
      distance_metric: "squared_euclidean" or "cosine".
      seed: of the choice of the first centers.
      use_mini_batch: whether a batch is a part of the data only.
      mini_batch_steps_per_iteration: after how many steps the moved centers are used.
      kmeans_plus_plus_num_retries: how many draws each center has.
      relative_tolerance: stops when the loss changes by less, as a part of it; None never does.
      feature_columns: the columns of the points; by default all features side by side.
      random_seed: the older name of `seed`.

    Raises:
      ValueError: when a choice is not known.
    """

    SQUARED_EUCLIDEAN_DISTANCE = SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = COSINE_DISTANCE
    RANDOM_INIT = RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = KMEANS_PLUS_PLUS_INIT
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
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: Any = None,
        feature_columns: Any = None,
        random_seed: int | None = None,
    ) -> None:
        inits = (self.RANDOM_INIT, self.KMEANS_PLUS_PLUS_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in inits:
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
                mini_batch_steps_per_iteration,
                (random_seed or 0) if seed is None else seed,
                kmeans_plus_plus_num_retries,
            )
            distances, nearest, losses, chosen, choose, step = graph.training_graph()
            loss = reduce_sum(losses)
            summary.scalar("loss/raw", loss)
            with control_dependencies([step, assign_add(get_global_step(), 1)]):
                train_op = identity(loss)
            hooks: list[SessionRunHook] = [ChooseCenters(choose, chosen, config.is_chief)]
            if relative_tolerance is not None:
                hooks.append(_StopWhenSettled(loss, relative_tolerance))
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

"""`tf.contrib.factorization.KMeansClustering`, which is `tf.estimator.experimental.KMeans` too.

kmeans = tf.estimator.experimental.KMeans(num_clusters=2, use_mini_batch=False)
kmeans.train(input_fn)
kmeans.cluster_centers(), list(kmeans.predict_cluster_index(input_fn))
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.compat.contrib import kmeans
from minitf.core.graph.stacks import control_dependencies
from minitf.core.ops.array import identity
from minitf.core.ops.array_joining import concat
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.state import assign_add
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.export_outputs import PredictOutput
from minitf.library.estimator.spec import EstimatorSpec
from minitf.library.feature_columns.models import input_layer
from minitf.library.metrics.base import mean
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from minitf.library.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary


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

    SQUARED_EUCLIDEAN_DISTANCE = kmeans.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = kmeans.COSINE_DISTANCE
    RANDOM_INIT = kmeans.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = kmeans.KMEANS_PLUS_PLUS_INIT
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
            graph = kmeans.KMeans(
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

"""Estimators of `tf.contrib.learn` under any head, and those of two classes and of clusters.

LinearEstimator, DNNEstimator, DNNLinearCombinedEstimator    a model of columns, a head on top
SVM                                   a linear model, the hinge loss, dual coordinate ascent
LogisticRegressor                     a model_fn of probabilities, with the metrics of two classes
KMeansClustering                      centers of points
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.compat.contrib import clustering as kmeans_estimator
from minitf.compat.contrib.learn import Premade


class KMeansClustering(Premade):
    """Finds clusters of points; see `tf.contrib.factorization.KMeansClustering`.

    Args:
      num_clusters: how many.
      random_seed: of the choice of the first centers.
      others: those of the other.
    """

    SQUARED_EUCLIDEAN_DISTANCE = kmeans_estimator.KMeansClustering.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = kmeans_estimator.KMeansClustering.COSINE_DISTANCE
    RANDOM_INIT = kmeans_estimator.KMeansClustering.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = kmeans_estimator.KMeansClustering.KMEANS_PLUS_PLUS_INIT
    SCORES, CLUSTER_IDX, ALL_SCORES = "scores", "cluster_idx", "all_scores"
    CLUSTERS = "clusters"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int | None = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: Any = None,
    ) -> None:
        core = kmeans_estimator.KMeansClustering(
            num_clusters,
            model_dir,
            initial_clusters,
            distance_metric,
            random_seed,
            use_mini_batch,
            mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries,
            relative_tolerance,
            config,
        )
        names = {self.CLUSTER_IDX: core.CLUSTER_INDEX, self.ALL_SCORES: core.ALL_DISTANCES}
        super().__init__(core, names)

    def predict(
        self,
        x: Any = None,
        input_fn: Callable | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """The cluster and the distances of each point; see `Estimator.predict`."""
        outputs = outputs or [self.CLUSTER_IDX, self.ALL_SCORES]
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        found = super().evaluate(*args, **kwargs)
        found[self.SCORES] = found.pop(kmeans_estimator.KMeansClustering.SCORE)
        return found

    def score(self, input_fn: Callable | None = None, steps: int | None = None) -> Any:
        """The sum of the distances of points to their centers."""
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Callable | None = None, as_iterable: bool = False) -> Any:
        """The distances of each point to all centers."""
        found = self.predict(None, input_fn, None, [self.ALL_SCORES], as_iterable)
        return found if as_iterable else found[self.ALL_SCORES]

    def clusters(self) -> Any:
        """[clusters, n] the centers."""
        return self.get_variable_value(self.CLUSTERS)

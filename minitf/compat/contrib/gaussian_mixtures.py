"""`tf.contrib.factorization.gmm` and `GMM`: clusters as a mixture of normal distributions.

log p(x) = log sum_k alpha_k N(x; mean_k, cov_k)     fitted by expectation and maximization

expectation    w[i, k] = the part of cluster k in the density at point i
maximization   alpha, mean, cov of k = those of the points, each weighted by its w

Dempster, Laird and Rubin, "Maximum likelihood from incomplete data via the EM algorithm" (1977).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.compat.contrib.kmeans_estimator import ChooseCenters, side_by_side
from minitf.compat.contrib.learn import Estimator
from minitf.compat.contrib.learn_keys import ModelFnOps
from minitf.compat.contrib.variables import local_variable
from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, shape
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import expand_dims, tile, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group, no_op
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import exp, log, square
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import argmax, reduce_logsumexp, reduce_mean, reduce_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.variables import Variable
from minitf.library.checks.assertions import assert_less_equal
from minitf.library.numeric.decompositions import cholesky, matrix_triangular_solve
from minitf.library.numeric.diagonals import diag, matrix_diag_part
from minitf.library.sessions.training_util import get_global_step

FULL_COVARIANCE, DIAG_COVARIANCE = "full", "diag"
_LEAST_VARIANCE = 1e-3  # added wherever a covariance is inverted
_EPSILON = np.finfo(float).eps


class GmmAlgorithm:
    """Builds the graph of a Gaussian mixture.

    Args:
      data: points [n, d], a list of such tensors.
      num_classes: how many clusters, k.
      initial_means: [k, d]; points drawn at random when None.
      params: what is fitted: "w" for weights, "m" for means, "c" for covariances.
      covariance_type: "full" or "diag".
      random_seed: of the draw.
    """

    CLUSTERS_WEIGHT = "alphas"
    CLUSTERS_VARIABLE = "clusters"
    CLUSTERS_COVS_VARIABLE = "clusters_covs"

    def __init__(
        self, data: list[Any], num_classes: int, initial_means: Any = None, params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE, random_seed: int = 0,
    ) -> None:  # fmt: skip
        if covariance_type not in (FULL_COVARIANCE, DIAG_COVARIANCE):
            raise Exception(f"programmer error: Invalid covariance type: {covariance_type}")
        self._full = covariance_type == FULL_COVARIANCE
        self._k, self._params = num_classes, params
        shards = [convert_to_tensor(shard) for shard in data]
        points = concat(shards, 0)
        unset = constant([], dtypes.float32)  # the sizes come with the first points
        self._means = Variable(unset, name=self.CLUSTERS_VARIABLE, validate_shape=False)
        self._covs = Variable(unset, name=self.CLUSTERS_COVS_VARIABLE, validate_shape=False)
        self._alpha = Variable(
            tile([1.0 / num_classes], [num_classes]), name=self.CLUSTERS_WEIGHT,
            validate_shape=False,
        )  # fmt: skip
        self._initialized = Variable(False, dtype=dtypes.bool, name="initialized")
        means = _drawn(points, num_classes, random_seed) if initial_means is None else initial_means
        self._init = self._start(expand_dims(means, 1), shards[0])
        log_parts = self._log_parts(points)
        log_likelihoods = reduce_logsumexp(log_parts, 1, keepdims=True)
        parts = exp(log_parts - log_likelihoods)
        self._scores = reduce_logsumexp(log_likelihoods + log(parts), 1, keepdims=True)
        self._log_likelihood = reduce_logsumexp(log_likelihoods)
        self._assignments = split(argmax(parts, 1), [shape(shard)[0] for shard in shards])
        self._train = self._step(points, parts)

    def _start(self, means: Tensor, points: Tensor) -> Any:
        """The operation that, once, sets the means and the covariance of all points."""
        count = cast(shape(points)[0], dtypes.float32)
        centered = points - reduce_mean(points, 0)
        if self._full:
            covariance = matmul(centered, centered, transpose_a=True) / (count - 1)
            covariance += _LEAST_VARIANCE * diag(ones([shape(points)[1]]))
            covs = tile(expand_dims(covariance, 0), [self._k, 1, 1])
        else:
            variance = reduce_sum(square(centered), 0) / (count - 1) + _LEAST_VARIANCE
            covs = tile(expand_dims(variance, 0), [self._k, 1])

        def set_all() -> Any:
            both = [(self._means, means), (self._covs, covs)]
            done = [assign(variable, value, validate_shape=False) for variable, value in both]
            return group(*done, assign(self._initialized, True))

        return cond(self._initialized, no_op, set_all).op

    def _log_parts(self, points: Tensor) -> Tensor:
        """[n, k]: log alpha_k N(x_i; mean_k, cov_k)."""
        depth = shape(points)[1]
        apart = expand_dims(points, 0) - self._means
        if self._full:
            lower = cholesky(self._covs + _LEAST_VARIANCE * diag(ones([depth])))
            log_determinant = 2.0 * reduce_sum(log(matrix_diag_part(lower)), 1)
            distances = square(matrix_triangular_solve(lower, transpose(apart, [0, 2, 1])))
            distance = reduce_sum(distances, 1)
        else:
            variances = self._covs.value() + _LEAST_VARIANCE
            log_determinant = reduce_sum(log(variances), 1)
            distance = reduce_sum(square(apart) / expand_dims(variances, 1), 2)
        constants = cast(depth, dtypes.float32) * float(np.log(2 * np.pi)) + log_determinant
        return -0.5 * (transpose(distance) + constants) + log(self._alpha)

    def _step(self, points: Tensor, parts: Tensor) -> Any:
        """The operation of a maximization."""
        by_cluster = transpose(parts)
        sizes = reduce_sum(parts, 0)
        share = sizes / (reduce_sum(sizes) + _EPSILON)
        weighed = expand_dims(sizes, 1) + _EPSILON
        means = expand_dims(matmul(by_cluster, points) / weighed, 1)
        center = means if "m" in self._params else identity(self._means)
        if self._full:
            scattered = expand_dims(by_cluster, 1) * expand_dims(transpose(points), 0)
            squares = matmul(scattered, tile(expand_dims(points, 0), [self._k, 1, 1]))
            squares /= expand_dims(weighed, 2)
            covs = squares - matmul(center, center, transpose_a=True)
            covs += _LEAST_VARIANCE * diag(ones([shape(points)[1]]))
        else:
            squares = matmul(by_cluster, square(points)) / weighed
            covs = squares - square(center[:, 0]) + _LEAST_VARIANCE
        found = {"w": (self._alpha, share), "m": (self._means, means), "c": (self._covs, covs)}
        with control_dependencies([share, means, covs]):  # all of the old mixture
            return group(*[
                assign(*found[part], validate_shape=False) for part in found if part in self._params
            ])  # fmt: skip

    def init_ops(self) -> Any:
        """The operation that sets the first mixture, once."""
        return self._init

    def training_ops(self) -> Any:
        """The operation of a step."""
        return self._train

    def is_initialized(self) -> Variable:
        """Whether the first mixture is set."""
        return self._initialized

    def alphas(self) -> Variable:
        """[k] the weights of the clusters."""
        return self._alpha

    def clusters(self) -> Variable:
        """[k, 1, d] their means."""
        return self._means

    def covariances(self) -> Variable:
        """[k, d, d] their covariances, or [k, d] variances."""
        return self._covs

    def assignments(self) -> list[Tensor]:
        """For each tensor of data the likeliest cluster of its points, [n] int64."""
        return self._assignments

    def scores(self) -> Tensor:
        """[n, 1] the logarithm of the density at each point."""
        return self._scores

    def log_likelihood_op(self) -> Tensor:
        """The logarithm of the sum of all points' densities."""
        return self._log_likelihood


def _drawn(points: Tensor, size: int, seed: int) -> Tensor:
    """[size, d] points, chosen at random."""
    count = shape(points)[0]
    with control_dependencies([assert_less_equal(size, count)]):
        most = cast(count, dtypes.int64)
        return gather(points, random_uniform([size], 0, most, dtypes.int64, seed=seed))


def gmm(
    inp: Any, initial_clusters: Any, num_clusters: int, random_seed: int,
    covariance_type: str = FULL_COVARIANCE, params: str = "wmc",
) -> tuple[Tensor, Tensor, list, Any, Any, Variable]:  # fmt: skip
    """Builds the graph of a Gaussian mixture.

    Args:
      inp: points [n, d], or a list of such tensors.
      initial_clusters: "random", or the first means [k, d].
      num_clusters, random_seed, covariance_type, params: see `GmmAlgorithm`.
    Returns: the logarithm of the sum of the densities; those of the points, [n, 1]; a list of the
      list of the points' clusters [n] for each input; the operation of a step; the one that sets
      the first mixture; whether it is set.
    """
    drawn = isinstance(initial_clusters, str) and initial_clusters == "random"
    means = None if drawn else convert_to_tensor(initial_clusters, dtypes.float32)
    data = inp if isinstance(inp, list) else [inp]
    mixture = GmmAlgorithm(data, num_clusters, means, params, covariance_type, random_seed)
    return (
        mixture.log_likelihood_op(), mixture.scores(), [mixture.assignments()],
        mixture.training_ops(), mixture.init_ops(), mixture.is_initialized(),
    )  # fmt: skip


class GMM(Estimator):
    """Finds clusters of points as a mixture of normal distributions.

    Args:
      num_clusters, random_seed, params, initial_clusters, covariance_type: see `gmm`.
      model_dir, config: see `tf.contrib.learn.Estimator`.
    """

    SCORES, LOG_LIKELIHOOD, ASSIGNMENTS = "scores", "loss", "assignments"

    def __init__(
        self, num_clusters: int, model_dir: str | None = None, random_seed: int = 0,
        params: str = "wmc", initial_clusters: Any = "random",
        covariance_type: str = FULL_COVARIANCE, config: Any = None,
    ) -> None:  # fmt: skip
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            assert labels is None, labels
            loss, scores, clusters, step, start, started = gmm(
                side_by_side(features), initial_clusters, num_clusters, random_seed,
                covariance_type, params,
            )  # fmt: skip
            with control_dependencies([step, assign_add(get_global_step(), 1)]):
                train_op = identity(loss)
            total = local_variable(constant(0.0))
            last = local_variable(constant([], dtypes.float32), validate_shape=False)
            return ModelFnOps(
                mode,
                {self.ASSIGNMENTS: clusters[0][0]},
                loss,
                train_op,
                {
                    self.SCORES: (last, assign(last, scores, validate_shape=False)),
                    self.LOG_LIKELIHOOD: (total, assign_add(total, loss)),
                },
                training_hooks=[ChooseCenters(start, started, config.is_chief)],
            )

        super().__init__(model_fn, model_dir, config)

    def predict_assignments(
        self, input_fn: Callable | None = None, batch_size: int | None = None, outputs: Any = None
    ) -> Iterator[Any]:
        """The cluster of each point."""
        found = self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs)
        return (each[self.ASSIGNMENTS] for each in found)

    def score(
        self, input_fn: Callable | None = None, batch_size: int | None = None,
        steps: int | None = None,
    ) -> Any:  # fmt: skip
        """The logarithm of the sum of the points' densities."""
        found = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return np.log(np.sum(np.exp(found[self.SCORES])))

    def weights(self) -> Any:
        """[k] the weights of the clusters."""
        return self.get_variable_value(GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> Any:
        """[k, d] their means."""
        return np.squeeze(self.get_variable_value(GmmAlgorithm.CLUSTERS_VARIABLE), 1)

    def covariances(self) -> Any:
        """[k, d, d] their covariances, or [k, d] variances."""
        return self.get_variable_value(GmmAlgorithm.CLUSTERS_COVS_VARIABLE)

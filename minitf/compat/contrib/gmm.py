"""`tf.contrib.factorization.gmm`: clusters of points as a mixture of normal distributions.

loss, scores, assignments, train_op, init_op, initialized = gmm(x, "random", 3, random_seed=0)

init_op     draws the first means from the points; all covariances are that of all points
train_op    a step of expectation and maximization:
            w_ik = alpha_k N(x_i; mean_k, cov_k) / sum over k    how far point i belongs to k
            alpha_k, mean_k, cov_k = share, mean and covariance of the points, weighted by w_ik
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.compat.contrib.kmeans_estimator import ChooseCenters
from minitf.compat.contrib.learn import Estimator
from minitf.compat.contrib.learn_keys import ModelFnOps
from minitf.core.gradients.cond import cond
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.operation import Operation
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, shape
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze, tile, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group, no_op
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import add_n, exp, log, square
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import argmax, reduce_logsumexp, reduce_mean, reduce_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.variables import Variable
from minitf.library.metrics.base import metric_variable
from minitf.library.numeric.decompositions import cholesky, matrix_triangular_solve
from minitf.library.numeric.diagonals import diag, matrix_diag_part
from minitf.library.sessions.training_util import get_global_step

FULL_COVARIANCE, DIAG_COVARIANCE = "full", "diag"
_LEAST_VARIANCE = 1e-3  # is added to all variances, so that they have an inverse
_EPSILON = float(np.finfo(float).eps)


class GmmAlgorithm:
    """The graph of a mixture of normal distributions.

    Args:
      data: a list of points [n, d].
      num_classes: how many distributions.
      initial_means: [num_classes, d]; some of the points by default.
      params: which of weights "w", means "m" and covariances "c" are trained.
      covariance_type: "full" or "diag".
      random_seed: for the first means.
    Raises:
      Exception: for another type of covariance.
    """

    CLUSTERS_WEIGHT, CLUSTERS_VARIABLE = "alphas", "clusters"
    CLUSTERS_COVS_VARIABLE = "clusters_covs"

    def __init__(
        self, data: list[Any], num_classes: int, initial_means: Any = None, params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE, random_seed: int = 0,
    ) -> None:  # fmt: skip
        if covariance_type not in (FULL_COVARIANCE, DIAG_COVARIANCE):
            raise Exception(f"programmer error: Invalid covariance type: {covariance_type}")
        data = [convert_to_tensor(points) for points in data]
        self._full, self._classes = covariance_type == FULL_COVARIANCE, num_classes
        self._dimensions = shape(data[0])[1]
        self._least = diag(ones(stack([self._dimensions]))) * _LEAST_VARIANCE
        self._means = Variable(
            np.zeros([0], "float32"), name=self.CLUSTERS_VARIABLE, validate_shape=False
        )
        self._covs: Any = Variable(
            np.zeros([0], "float32"), name=self.CLUSTERS_COVS_VARIABLE, validate_shape=False
        )
        self._alphas = Variable(
            np.full(num_classes, 1 / num_classes, np.float32), name=self.CLUSTERS_WEIGHT
        )
        self._initialized = Variable(False, name="initialized")
        first = (
            self._drawn(concat(data, 0), random_seed) if initial_means is None else initial_means
        )
        self._init = self._chosen(expand_dims(first, 1), self._covariances_of(data[0]))
        chances = [self._log_chances(points) for points in data]
        priors = [reduce_logsumexp(each, 1, keepdims=True) for each in chances]
        self._shares = [exp(each - all_) for each, all_ in zip(chances, priors, strict=True)]
        self._train = self._step(data, params)
        self._log_likelihood = reduce_logsumexp(stack([reduce_logsumexp(each) for each in priors]))
        weighed = [all_ + log(share) for all_, share in zip(priors, self._shares, strict=True)]
        self._scores = squeeze(reduce_logsumexp(stack(weighed), 2, keepdims=True), [0])

    # ---- the start -----------------------------------------------------------------------------

    def _drawn(self, points: Tensor, seed: int) -> Tensor:
        """Some of the points, chosen at random."""
        count = cast(shape(points)[0], "int64")
        places = random_uniform([self._classes], maxval=count, dtype="int64", seed=seed)
        return gather(points, places)

    def _covariances_of(self, points: Tensor) -> Tensor:
        """The covariance of all points, once for each distribution."""
        points -= reduce_mean(points, 0, keepdims=True)
        count = cast(shape(points)[0], "float32")
        found = matmul(points, points, transpose_a=True) / (count - 1) + self._least
        return tile(expand_dims(self._kept(found), 0), [self._classes, *[1] * (1 + self._full)])

    def _kept(self, covariances: Tensor) -> Tensor:
        """The covariances, or their diagonals."""
        return covariances if self._full else matrix_diag_part(covariances)

    def _chosen(self, means: Tensor, covs: Tensor) -> Operation:
        def choose() -> Tensor:
            first = [
                assign(variable, value, validate_shape=False)
                for variable, value in ((self._means, means), (self._covs, covs))
            ]
            with control_dependencies(first):
                return identity(assign(self._initialized, True))

        return group(cond(self._initialized, lambda: identity(self._initialized), choose))

    # ---- one step ------------------------------------------------------------------------------

    def _log_chances(self, points: Tensor) -> Tensor:
        """[n, k]: the logarithms of each distribution's weight, times its density at each point."""
        apart = expand_dims(points, 0) - self._means  # [k, n, d]
        if self._full:
            root = cholesky(self._covs + self._least)
            widths = 2.0 * reduce_sum(log(matrix_diag_part(root)), 1)
            solved = matrix_triangular_solve(root, transpose(apart, [0, 2, 1]), lower=True)
            squares = reduce_sum(square(solved), 1)
        else:
            variances = self._covs + _LEAST_VARIANCE
            widths = reduce_sum(log(variances), 1)
            squares = reduce_sum(square(apart) / expand_dims(variances, 1), 2)
        constant = cast(self._dimensions, "float32") * float(np.log(2 * np.pi))
        return -0.5 * (transpose(squares) + constant + widths) + log(self._alphas)

    def _step(self, data: list[Tensor], params: str) -> Operation:
        both = list(zip(data, self._shares, strict=True))
        with control_dependencies(self._shares):
            counts = add_n([reduce_sum(share, 0) for share in self._shares])
            each = reshape(counts, [self._classes, 1, 1]) + _EPSILON
            steps: list[Any] = []
            if "w" in params:
                part = counts / len(data)
                steps.append(assign(self._alphas, part / (reduce_sum(part) + _EPSILON)))
            sums = add_n([matmul(share, points, transpose_a=True) for points, share in both])
            move = assign(self._means, expand_dims(sums, 1) / each) if "m" in params else no_op()
            squares = [
                matmul(
                    expand_dims(transpose(share), 2) * points,
                    tile(expand_dims(points, 0), [self._classes, 1, 1]),
                    transpose_a=True,
                )
                for points, share in both
            ]
            with control_dependencies([move, *squares]):
                means = identity(self._means)
                covs = add_n(squares) / each - matmul(means, means, transpose_a=True)
                if "c" in params:
                    new = self._kept(covs + self._least)
                    steps.append(assign(self._covs, new, validate_shape=False))
            return group(*steps, move)

    # ---- what it knows -------------------------------------------------------------------------

    def init_ops(self) -> Operation:
        """Chooses the first means and covariances, once."""
        return self._init

    def training_ops(self) -> Operation:
        """A step."""
        return self._train

    def is_initialized(self) -> Variable:
        """Whether the means were chosen."""
        return self._initialized

    def alphas(self) -> Variable:
        """[k] the weights."""
        return self._alphas

    def clusters(self) -> Variable:
        """[k, 1, d] the means."""
        return self._means

    def covariances(self) -> Variable:
        """[k, d, d] the covariances, or [k, d] their diagonals."""
        return self._covs

    def assignments(self) -> list[Tensor]:
        """For each tensor of points [n], to which distribution each one belongs most."""
        return [argmax(share, 1) for share in self._shares]

    def scores(self) -> Tensor:
        """[n, 1] the logarithm of the density at each point."""
        return self._scores

    def log_likelihood_op(self) -> Tensor:
        """The logarithm of the sum of the densities at all points."""
        return self._log_likelihood


def gmm(
    inp: Any, initial_clusters: Any, num_clusters: int, random_seed: int,
    covariance_type: str = FULL_COVARIANCE, params: str = "wmc",
) -> tuple[Tensor, Tensor, list, Operation, Operation, Variable]:  # fmt: skip
    """Builds the graph of a mixture of normal distributions.

    Args:
      inp: points [n, d], or a list of such tensors.
      initial_clusters: "random", the first means [k, d], or a function that makes them.
      num_clusters, random_seed, covariance_type, params: see `GmmAlgorithm`.
    Returns: the logarithm of the sum of the densities at all points; that of the density at each
      point [n, 1]; a list with the list of the numbers of each tensor's distributions [n]; the
      operation of a step; the one that chooses the first means; whether they were chosen.
    """
    drawn = isinstance(initial_clusters, str) and initial_clusters == "random"
    first: Any = initial_clusters() if callable(initial_clusters) else initial_clusters
    means = None if drawn else convert_to_tensor(first, dtype="float32")
    data = inp if isinstance(inp, list) else [inp]
    made = GmmAlgorithm(data, num_clusters, means, params, covariance_type, random_seed)
    return (
        made.log_likelihood_op(), made.scores(), [made.assignments()], made.training_ops(),
        made.init_ops(), made.is_initialized(),
    )  # fmt: skip


class GMM(Estimator):
    """Finds clusters of points, as a mixture of normal distributions.

    Args:
      num_clusters, random_seed, params, initial_clusters, covariance_type: see `gmm`.
      model_dir, config: see `Estimator`.
    """

    SCORES, ASSIGNMENTS = "scores", "assignments"

    def __init__(
        self, num_clusters: int, model_dir: str | None = None, random_seed: int = 0,
        params: str = "wmc", initial_clusters: Any = "random",
        covariance_type: str = FULL_COVARIANCE, config: Any = None,
    ) -> None:  # fmt: skip
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            if isinstance(features, dict):
                features = concat([features[name] for name in sorted(features)], 1)
            loss, _, assigned, step, choose, chosen = gmm(
                features, initial_clusters, num_clusters, random_seed, covariance_type, params
            )
            with control_dependencies([step, assign_add(get_global_step(), 1)]):
                train_op = identity(loss)
            total = metric_variable([], "float32")
            return ModelFnOps(
                mode,
                {self.ASSIGNMENTS: assigned[0][0]},
                loss,
                train_op,
                {self.SCORES: (total, assign_add(total, loss))},
                training_hooks=[ChooseCenters(choose, chosen, config.is_chief)],
            )

        super().__init__(model_fn, model_dir, config)

    def predict_assignments(
        self, input_fn: Callable | None = None, batch_size: int | None = None, outputs: Any = None
    ) -> Iterator[Any]:
        """The number of each point's distribution; the arguments are those of `predict`."""
        found = self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs)
        return (each[self.ASSIGNMENTS] for each in found)

    def score(
        self, input_fn: Callable | None = None, batch_size: int | None = None,
        steps: int | None = None,
    ) -> Any:  # fmt: skip
        """The sum over batches of what `gmm` gives first; arguments as of `evaluate`."""
        return self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)[self.SCORES]

    def weights(self) -> Any:
        """[k] the weights, from the newest checkpoint."""
        return self.get_variable_value(GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> Any:
        """[k, d] the means, from the newest checkpoint."""
        return np.squeeze(self.get_variable_value(GmmAlgorithm.CLUSTERS_VARIABLE), 1)

    def covariances(self) -> Any:
        """The covariances, from the newest checkpoint."""
        return self.get_variable_value(GmmAlgorithm.CLUSTERS_COVS_VARIABLE)

"""Estimators of `tf.contrib.learn` under any head, and those of two classes and of clusters.

LinearEstimator, DNNEstimator, DNNLinearCombinedEstimator    a model of columns, a head on top
SVM                                   a linear model, the hinge loss, dual coordinate ascent
LogisticRegressor                     a model_fn of probabilities, with the metrics of two classes
KMeansClustering                      centers of points
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.compat.contrib import kmeans_estimator
from minitf.compat.contrib.learn import Estimator, OfColumns, Premade, adagrad, as_spec, ftrl
from minitf.compat.contrib.learn_heads import Head, binary_svm_head
from minitf.compat.contrib.learn_keys import MetricKey, ModeKeys, ModelFnOps, ProblemType
from minitf.compat.contrib.optimize_loss import optimize_loss
from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal
from minitf.library.estimator import premade
from minitf.library.estimator.estimator import Estimator as CoreEstimator
from minitf.library.estimator.linear_sdca import SdcaLinear, SDCAOptimizer
from minitf.library.estimator.spec import EstimatorSpec
from minitf.library.metrics.base import mean
from minitf.library.metrics.counts import precision, recall
from minitf.library.metrics.errors import accuracy
from minitf.library.metrics.thresholds import auc
from minitf.library.sessions.training_util import get_global_step


class NotFittedError(ValueError, AttributeError):
    """An estimator is asked for what it knows only when it has been fitted."""


class _UnderCore:
    """A head as the models of `tf.estimator` ask for one.

    Args:
      head: the head; of `tf.contrib.learn`.
    """

    def __init__(self, head: Head) -> None:
        self._head = head
        self.logits_dimension = head.logits_dimension
        self.sdca_loss = getattr(head, "sdca_loss", None)

    def for_sdca(self, features: Any, labels: Any, logits: Tensor) -> tuple[Tensor, Any]:
        """See `SingleHead.for_sdca`."""
        return self._head.for_sdca(features, labels, logits)  # type: ignore[attr-defined]

    def create_estimator_spec(
        self, features: Any, mode: str, logits: Tensor, labels: Any = None, optimizer: Any = None,
        train_op_fn: Callable | None = None,
    ) -> EstimatorSpec:  # fmt: skip
        """See `tf.estimator.Head`."""

        def minimize(loss: Tensor) -> Any:
            return optimize_loss(loss, get_global_step(), None, optimizer, summaries=[])

        step = train_op_fn or minimize
        made = self._head.create_model_fn_ops(features, mode, labels, step, logits=logits)
        return as_spec(made, mode)


def _core(head: Any) -> Any:
    """The head for a model of `tf.estimator`; heads of that pass as they are."""
    return _UnderCore(head) if isinstance(head, Head) else head


class LinearEstimator(OfColumns):
    """A linear model under any head.

    Args:
      feature_columns: columns.
      head: the head.
      weight_column_name: accepted; the head knows it.
      others: those of `LinearClassifier`.
    """

    def __init__(
        self, feature_columns: Any, head: Head, model_dir: str | None = None,
        weight_column_name: str | None = None, optimizer: Any = None,
        gradient_clip_norm: float | None = None, _joint_weights: bool = False, config: Any = None,
        feature_engineering_fn: Callable | None = None,
    ) -> None:  # fmt: skip
        given = ftrl(optimizer, gradient_clip_norm)
        core = premade.LinearEstimator(_core(head), feature_columns, model_dir, given, config)
        super().__init__(core, feature_engineering_fn)


class DNNEstimator(OfColumns):
    """Fully connected layers under any head.

    Args:
      head: the head.
      others: those of `DNNClassifier`.
    """

    def __init__(
        self, head: Head, hidden_units: Sequence[int], feature_columns: Any,
        model_dir: str | None = None, optimizer: Any = None, activation_fn: Callable | None = relu,
        dropout: float | None = None, gradient_clip_norm: float | None = None, config: Any = None,
        feature_engineering_fn: Callable | None = None, embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:  # fmt: skip
        core = premade.DNNEstimator(
            _core(head), hidden_units, feature_columns, model_dir,
            adagrad(optimizer, gradient_clip_norm), activation_fn, dropout, config=config,
        )  # fmt: skip
        super().__init__(core, feature_engineering_fn)


class DNNLinearCombinedEstimator(OfColumns):
    """A linear model and layers together, under any head.

    Args:
      head: the head.
      others: those of `DNNLinearCombinedClassifier`.
    """

    def __init__(
        self, head: Head, model_dir: str | None = None, linear_feature_columns: Any = None,
        linear_optimizer: Any = None, _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None, dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: Callable | None = relu,
        dnn_dropout: float | None = None, gradient_clip_norm: float | None = None,
        config: Any = None, feature_engineering_fn: Callable | None = None,
        embedding_lr_multipliers: Any = None, fix_global_step_increment_bug: bool = False,
        input_layer_min_slice_size: int | None = None,
    ) -> None:  # fmt: skip
        core = premade.DNNLinearCombinedEstimator(
            _core(head), model_dir, linear_feature_columns,
            ftrl(linear_optimizer, gradient_clip_norm), dnn_feature_columns,
            adagrad(dnn_optimizer, gradient_clip_norm), dnn_hidden_units, dnn_activation_fn,
            dnn_dropout, config=config,
        )  # fmt: skip
        super().__init__(core, feature_engineering_fn)


class SVM(OfColumns):
    """A linear support vector machine for two classes, by dual coordinate ascent.

    It minimizes the mean hinge loss, and beside it the regularization, divided by the number of
    examples; the weight of that of squares is at least 1.

    Args:
      example_id_column: the feature with a string for each example, the same in every pass.
      feature_columns: columns.
      weight_column_name: the feature that weighs the examples.
      model_dir, config, feature_engineering_fn: see `Estimator`.
      l1_regularization, l2_regularization: of absolute weights, and of squares.
      num_loss_partitions: how many workers train at once.
      kernels: None.
    Raises:
      ValueError: when kernels are given.
    """

    def __init__(
        self, example_id_column: str, feature_columns: Any, weight_column_name: str | None = None,
        model_dir: str | None = None, l1_regularization: float = 0.0,
        l2_regularization: float = 0.0, num_loss_partitions: int = 1, kernels: Any = None,
        config: Any = None, feature_engineering_fn: Callable | None = None,
    ) -> None:  # fmt: skip
        if kernels is not None:
            raise ValueError("Kernel SVMs are not currently supported.")
        sdca = SDCAOptimizer(
            example_id_column,
            num_loss_partitions,
            symmetric_l1_regularization=l1_regularization,
            symmetric_l2_regularization=max(l2_regularization, 1.0),
        )
        head = _UnderCore(binary_svm_head(weight_column_name=weight_column_name))
        model = SdcaLinear(head, feature_columns, sdca, "sum")
        super().__init__(CoreEstimator(model.build, model_dir, config), feature_engineering_fn)

    def predict_classes(
        self, x: Any = None, input_fn: Callable | None = None, batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:  # fmt: skip
        """The class of each example; the arguments are those of `predict`."""
        found = self.predict(x, input_fn, batch_size, ["classes"], as_iterable)
        return (each["classes"] for each in found) if as_iterable else found["classes"]


def LogisticRegressor(  # noqa: N802, TensorFlow's name of a function
    model_fn: Callable[..., tuple], thresholds: Sequence[float] | None = None,
    model_dir: str | None = None, config: Any = None,
    feature_engineering_fn: Callable | None = None,
) -> Estimator:  # fmt: skip
    """An estimator of two classes, from a model_fn whose predictions are probabilities.

    Args:
      model_fn: `model_fn(features, labels, mode)` returns probabilities, loss and train_op.
      thresholds: accuracy, precision and recall are given for them; [0.5] by default.
      model_dir, config, feature_engineering_fn: see `Estimator`.
    """

    def with_metrics(features: Any, labels: Any, mode: str) -> ModelFnOps:
        scores, loss, train_op = model_fn(features, labels, mode)
        metrics = None
        if mode == ModeKeys.EVAL:
            if isinstance(labels, dict) and len(labels) == 1:
                (labels,) = labels.values()
            metrics = _logistic_metrics(labels, scores, thresholds or [0.5])
        served = {"head": (ProblemType.LOGISTIC_REGRESSION, {"predictions": scores})}
        return ModelFnOps(mode, scores, loss, train_op, metrics, served)

    return Estimator(with_metrics, model_dir, config, None, feature_engineering_fn)


def _logistic_metrics(labels: Tensor, scores: Tensor, thresholds: Sequence[float]) -> dict:
    metrics = {
        MetricKey.PREDICTION_MEAN: mean(scores),
        MetricKey.LABEL_MEAN: mean(labels),
        MetricKey.ACCURACY_BASELINE: mean(labels),
        MetricKey.AUC: auc(labels, scores),
    }
    for t in thresholds:
        positive = cast(greater_equal(scores, t), dtypes.float32)
        metrics[MetricKey.ACCURACY_MEAN % t] = accuracy(labels, positive)
        metrics[MetricKey.PRECISION_MEAN % t] = precision(labels, positive)
        metrics[MetricKey.RECALL_MEAN % t] = recall(labels, positive)
    return metrics


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
        self, num_clusters: int, model_dir: str | None = None, initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE, random_seed: int | None = 0,
        use_mini_batch: bool = True, mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2, relative_tolerance: float | None = None,
        config: Any = None,
    ) -> None:  # fmt: skip
        core = kmeans_estimator.KMeansClustering(
            num_clusters, model_dir, initial_clusters, distance_metric, random_seed,
            use_mini_batch, mini_batch_steps_per_iteration, kmeans_plus_plus_num_retries,
            relative_tolerance, config,
        )  # fmt: skip
        names = {self.CLUSTER_IDX: core.CLUSTER_INDEX, self.ALL_SCORES: core.ALL_DISTANCES}
        super().__init__(core, names)

    def predict(
        self, x: Any = None, input_fn: Callable | None = None, batch_size: int | None = None,
        outputs: Sequence[str] | None = None, as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:  # fmt: skip
        """The cluster and the distances of each point; see `Estimator.predict`."""
        outputs = outputs or [self.CLUSTER_IDX, self.ALL_SCORES]
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def predict_cluster_idx(self, input_fn: Callable | None = None) -> Iterator[Any]:
        """The cluster of each point."""
        found = self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX])
        return (each[self.CLUSTER_IDX] for each in found)

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

"""The names that `tf.contrib.learn` gives to modes, predictions, metrics and kinds of problems."""

from __future__ import annotations

from typing import Any, NamedTuple


class ModeKeys:
    """What a model_fn is called for."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


class PredictionKey:
    """The names of predictions."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "generic"


class MetricKey:
    """The names of metrics; those with a % are of a class or of a threshold."""

    LOSS = "loss"
    AUC = "auc"
    AUC_PR = "auc_precision_recall"
    CLASS_AUC = "auc/class%d"
    CLASS_AUC_PR = "auc_precision_recall/class%d"
    PREDICTION_MEAN = "labels/prediction_mean"
    CLASS_PREDICTION_MEAN = "labels/prediction_mean/class%d"
    CLASS_LOGITS_MEAN = "labels/logits_mean/class%d"
    CLASS_PROBABILITY_MEAN = "labels/probability_mean/class%d"
    LABEL_MEAN = "labels/actual_label_mean"
    CLASS_LABEL_MEAN = "labels/actual_label_mean/class%d"
    ACCURACY = "accuracy"
    ACCURACY_BASELINE = "accuracy/baseline_label_mean"
    ACCURACY_MEAN = "accuracy/threshold_%f_mean"
    PRECISION_MEAN = "precision/positive_threshold_%f_mean"
    RECALL_MEAN = "recall/positive_threshold_%f_mean"


class ProblemType:
    """What a head solves; a server chooses by it how to answer."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class PredictionType:
    """Whether a sequence has one value, or one a step."""

    SINGLE_VALUE = 1
    MULTIPLE_VALUE = 2


class Environment:
    """Where a program runs, as TF_CONFIG says it."""

    LOCAL = "local"
    CLOUD = "cloud"
    GOOGLE = "google"


class ModelFnOps(NamedTuple):
    """What a model_fn returns; `EstimatorSpec` followed it.

    Args:
      mode: a `ModeKeys`.
      predictions: a tensor, or a dict of them.
      loss: a scalar.
      train_op: the operation of a step.
      eval_metric_ops: from names to (value, update) pairs.
      output_alternatives: from the names of heads, None for a single one, to pairs of a
        `ProblemType` and of tensors by name: what a server can give.
      training_chief_hooks, training_hooks, scaffold: see `EstimatorSpec`.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    output_alternatives: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None

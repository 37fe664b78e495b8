"""The names that `tf.contrib.learn` gives to modes, predictions, metrics, problems and tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from minitf.core.graph import dtypes
from minitf.library.estimator.estimator import OWN_LOSS
from minitf.library.estimator.export_outputs import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from minitf.library.estimator.spec import EstimatorSpec
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY


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


class ModelFnOps(NamedTuple):
    """What a model_fn returns; `EstimatorSpec` followed it.

    Args:
      mode: a `ModeKeys`.
      predictions: a tensor, or a dict of them.
      loss: a scalar.
      train_op: the operation of a step.
      eval_metric_ops: from names to (value, update) pairs, or to values alone.
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

    def estimator_spec(self, default_serving_output_alternative_key: Any = None) -> EstimatorSpec:
        """The same for `tf.estimator`.

        Args:
          default_serving_output_alternative_key: the name of the head whose output is the default
            signature; the first one by default.
        """
        fields = self._asdict()
        del fields["mode"]
        served = fields.pop("output_alternatives")
        if served and self.mode == ModeKeys.INFER:
            first = default_serving_output_alternative_key or next(iter(served))
            fields["export_outputs"] = _exported(served, first)
        metrics = dict(self.eval_metric_ops or {})
        if MetricKey.LOSS in metrics:  # it goes before the default one here
            metrics[OWN_LOSS] = metrics.pop(MetricKey.LOSS)
        fields["eval_metric_ops"] = metrics
        return EstimatorSpec(self.mode, **fields)


def _exported(served: Mapping[Any, Any], first: Any) -> dict[str, ExportOutput]:
    """The signatures of output alternatives; the default one is that of the head `first`."""
    outputs: dict[str, ExportOutput] = {}
    for name, (kind, tensors) in served.items():
        scores = tensors.get(PredictionKey.SCORES)
        classes = tensors.get(PredictionKey.CLASSES)
        outputs[name or "predict"] = made = PredictOutput(tensors)
        if name == first:
            default: ExportOutput = made
            if kind == ProblemType.LINEAR_REGRESSION and scores is not None:
                default = RegressionOutput(scores)
            elif classes is not None and classes.dtype.base_dtype == dtypes.string:
                default = ClassificationOutput(tensors.get(PredictionKey.PROBABILITIES), classes)
            outputs[DEFAULT_SERVING_SIGNATURE_DEF_KEY] = default
    return outputs

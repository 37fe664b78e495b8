"""The names by which premade estimators tell their metrics and predictions."""

from __future__ import annotations

from minitf.core.graph.graph_keys import GraphKeys
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.saving.checkpoint_utils import load_variable


class MetricKeys:
    """What `evaluate` of a premade estimator gives."""

    LOSS = "loss"
    LOSS_MEAN = "average_loss"
    LOSS_REGULARIZATION = "regularization_loss"
    ACCURACY = "accuracy"
    PRECISION = "precision"
    RECALL = "recall"
    ACCURACY_BASELINE = "accuracy_baseline"
    AUC = "auc"
    AUC_PR = "auc_precision_recall"
    LABEL_MEAN = "label/mean"
    PREDICTION_MEAN = "prediction/mean"
    ACCURACY_AT_THRESHOLD = "accuracy/positive_threshold_%g"
    PRECISION_AT_THRESHOLD = "precision/positive_threshold_%g"
    RECALL_AT_THRESHOLD = "recall/positive_threshold_%g"
    TOP_K_ACCURACY = "top_k_accuracy"


class PredictionKeys:
    """What `predict` of a premade estimator gives."""

    CLASSES = "classes"
    CLASS_IDS = "class_ids"
    ALL_CLASSES = "all_classes"
    ALL_CLASS_IDS = "all_class_ids"
    LOGISTIC = "logistic"
    LOGITS = "logits"
    PREDICTIONS = "predictions"
    PROBABILITIES = "probabilities"
    TOP_K = "top_k"


def _load_global_step_from_checkpoint_dir(checkpoint_dir: str) -> int:
    """The step of the newest checkpoint in a folder; 0 where there is none."""
    newest = latest_checkpoint(checkpoint_dir)
    return 0 if newest is None else int(load_variable(newest, GraphKeys.GLOBAL_STEP))

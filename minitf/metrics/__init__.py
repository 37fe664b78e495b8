"""Metrics over many batches. The package is at the same time `tf.metrics`.

Each metric is two tensors, the value so far and what adds a batch; `base.py` says how.
"""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.metrics.base: mean mean_tensor
minitf.metrics.counts: false_negatives false_positives mean_iou mean_per_class_accuracy precision
    recall true_negatives true_positives
minitf.metrics.errors: accuracy mean_absolute_error mean_cosine_distance mean_relative_error
    mean_squared_error percentage_below root_mean_squared_error
minitf.metrics.thresholds: auc false_negatives_at_thresholds false_positives_at_thresholds
    precision_at_thresholds recall_at_thresholds sensitivity_at_specificity
    specificity_at_sensitivity true_negatives_at_thresholds true_positives_at_thresholds
minitf.metrics.top_k: average_precision_at_k precision_at_k precision_at_top_k recall_at_k
    recall_at_top_k sparse_average_precision_at_k sparse_precision_at_k
""",
)

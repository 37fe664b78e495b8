"""The names of `tf.contrib.metrics`."""

from minitf.compat.contrib.curve_metrics import auc_using_histogram as auc_using_histogram
from minitf.compat.contrib.curve_metrics import auc_with_confidence_intervals as auc_with_confidence_intervals
from minitf.compat.contrib.curve_metrics import cohen_kappa as cohen_kappa
from minitf.compat.contrib.curve_metrics import count as count
from minitf.compat.contrib.curve_metrics import f1_score as f1_score
from minitf.compat.contrib.curve_metrics import precision_at_recall as precision_at_recall
from minitf.compat.contrib.curve_metrics import precision_recall_at_equal_thresholds as precision_recall_at_equal_thresholds
from minitf.compat.contrib.curve_metrics import recall_at_precision as recall_at_precision
from minitf.compat.contrib.curve_metrics import streaming_concat as streaming_concat
from minitf.compat.contrib.curve_metrics import streaming_covariance as streaming_covariance
from minitf.compat.contrib.curve_metrics import streaming_curve_points as streaming_curve_points
from minitf.compat.contrib.curve_metrics import streaming_dynamic_auc as streaming_dynamic_auc
from minitf.compat.contrib.curve_metrics import streaming_pearson_correlation as streaming_pearson_correlation
from minitf.compat.contrib.streaming_metrics import accuracy as accuracy
from minitf.compat.contrib.streaming_metrics import aggregate_metric_map as aggregate_metric_map
from minitf.compat.contrib.streaming_metrics import aggregate_metrics as aggregate_metrics
from minitf.compat.contrib.streaming_metrics import sparse_recall_at_top_k as sparse_recall_at_top_k
from minitf.compat.contrib.streaming_metrics import streaming_accuracy as streaming_accuracy
from minitf.compat.contrib.streaming_metrics import streaming_auc as streaming_auc
from minitf.compat.contrib.streaming_metrics import streaming_false_negative_rate as streaming_false_negative_rate
from minitf.compat.contrib.streaming_metrics import streaming_false_negative_rate_at_thresholds as streaming_false_negative_rate_at_thresholds
from minitf.compat.contrib.streaming_metrics import streaming_false_negatives as streaming_false_negatives
from minitf.compat.contrib.streaming_metrics import streaming_false_negatives_at_thresholds as streaming_false_negatives_at_thresholds
from minitf.compat.contrib.streaming_metrics import streaming_false_positive_rate as streaming_false_positive_rate
from minitf.compat.contrib.streaming_metrics import streaming_false_positive_rate_at_thresholds as streaming_false_positive_rate_at_thresholds
from minitf.compat.contrib.streaming_metrics import streaming_false_positives as streaming_false_positives
from minitf.compat.contrib.streaming_metrics import streaming_false_positives_at_thresholds as streaming_false_positives_at_thresholds
from minitf.compat.contrib.streaming_metrics import streaming_mean_absolute_error as streaming_mean_absolute_error
from minitf.compat.contrib.streaming_metrics import streaming_mean_cosine_distance as streaming_mean_cosine_distance
from minitf.compat.contrib.streaming_metrics import streaming_mean_iou as streaming_mean_iou
from minitf.compat.contrib.streaming_metrics import streaming_mean_relative_error as streaming_mean_relative_error
from minitf.compat.contrib.streaming_metrics import streaming_mean_squared_error as streaming_mean_squared_error
from minitf.compat.contrib.streaming_metrics import streaming_precision as streaming_precision
from minitf.compat.contrib.streaming_metrics import streaming_precision_at_thresholds as streaming_precision_at_thresholds
from minitf.compat.contrib.streaming_metrics import streaming_recall as streaming_recall
from minitf.compat.contrib.streaming_metrics import streaming_recall_at_k as streaming_recall_at_k
from minitf.compat.contrib.streaming_metrics import streaming_recall_at_thresholds as streaming_recall_at_thresholds
from minitf.compat.contrib.streaming_metrics import streaming_root_mean_squared_error as streaming_root_mean_squared_error
from minitf.compat.contrib.streaming_metrics import streaming_sensitivity_at_specificity as streaming_sensitivity_at_specificity
from minitf.compat.contrib.streaming_metrics import streaming_sparse_average_precision_at_k as streaming_sparse_average_precision_at_k
from minitf.compat.contrib.streaming_metrics import streaming_sparse_average_precision_at_top_k as streaming_sparse_average_precision_at_top_k
from minitf.compat.contrib.streaming_metrics import streaming_sparse_precision_at_k as streaming_sparse_precision_at_k
from minitf.compat.contrib.streaming_metrics import streaming_sparse_precision_at_top_k as streaming_sparse_precision_at_top_k
from minitf.compat.contrib.streaming_metrics import streaming_sparse_recall_at_k as streaming_sparse_recall_at_k
from minitf.compat.contrib.streaming_metrics import streaming_specificity_at_sensitivity as streaming_specificity_at_sensitivity
from minitf.compat.contrib.streaming_metrics import streaming_true_negatives as streaming_true_negatives
from minitf.compat.contrib.streaming_metrics import streaming_true_negatives_at_thresholds as streaming_true_negatives_at_thresholds
from minitf.compat.contrib.streaming_metrics import streaming_true_positives as streaming_true_positives
from minitf.compat.contrib.streaming_metrics import streaming_true_positives_at_thresholds as streaming_true_positives_at_thresholds
from minitf.library.metrics.base import mean as streaming_mean
from minitf.library.metrics.base import mean_tensor as streaming_mean_tensor
from minitf.library.metrics.errors import percentage_below as streaming_percentage_less
from minitf.library.numeric.confusion_matrix import confusion_matrix as confusion_matrix
from minitf.library.sparse.sets import set_difference as set_difference
from minitf.library.sparse.sets import set_intersection as set_intersection
from minitf.library.sparse.sets import set_size as set_size
from minitf.library.sparse.sets import set_union as set_union

__all__ = [
    "accuracy", "aggregate_metric_map", "aggregate_metrics", "auc_using_histogram",
    "auc_with_confidence_intervals", "cohen_kappa", "confusion_matrix", "count", "f1_score",
    "precision_at_recall", "precision_recall_at_equal_thresholds", "recall_at_precision",
    "set_difference", "set_intersection", "set_size", "set_union", "sparse_recall_at_top_k",
    "streaming_accuracy", "streaming_auc", "streaming_concat", "streaming_covariance",
    "streaming_curve_points", "streaming_dynamic_auc", "streaming_false_negative_rate",
    "streaming_false_negative_rate_at_thresholds", "streaming_false_negatives",
    "streaming_false_negatives_at_thresholds", "streaming_false_positive_rate",
    "streaming_false_positive_rate_at_thresholds", "streaming_false_positives",
    "streaming_false_positives_at_thresholds", "streaming_mean",
    "streaming_mean_absolute_error", "streaming_mean_cosine_distance", "streaming_mean_iou",
    "streaming_mean_relative_error", "streaming_mean_squared_error", "streaming_mean_tensor",
    "streaming_pearson_correlation", "streaming_percentage_less", "streaming_precision",
    "streaming_precision_at_thresholds", "streaming_recall", "streaming_recall_at_k",
    "streaming_recall_at_thresholds", "streaming_root_mean_squared_error",
    "streaming_sensitivity_at_specificity", "streaming_sparse_average_precision_at_k",
    "streaming_sparse_average_precision_at_top_k", "streaming_sparse_precision_at_k",
    "streaming_sparse_precision_at_top_k", "streaming_sparse_recall_at_k",
    "streaming_specificity_at_sensitivity", "streaming_true_negatives",
    "streaming_true_negatives_at_thresholds", "streaming_true_positives",
    "streaming_true_positives_at_thresholds"
]

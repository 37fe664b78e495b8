"""The names of `tf.contrib.metrics`."""

from minitf.compat.contrib.streaming_metrics import accuracy as accuracy
from minitf.compat.contrib.streaming_metrics import aggregate_metric_map as aggregate_metric_map
from minitf.compat.contrib.streaming_metrics import aggregate_metrics as aggregate_metrics
from minitf.compat.contrib.streaming_metrics import streaming_accuracy as streaming_accuracy
from minitf.compat.contrib.streaming_metrics import streaming_auc as streaming_auc
from minitf.compat.contrib.streaming_metrics import streaming_false_negatives as streaming_false_negatives
from minitf.compat.contrib.streaming_metrics import streaming_false_positives as streaming_false_positives
from minitf.compat.contrib.streaming_metrics import streaming_mean as streaming_mean
from minitf.compat.contrib.streaming_metrics import streaming_mean_absolute_error as streaming_mean_absolute_error
from minitf.compat.contrib.streaming_metrics import streaming_mean_squared_error as streaming_mean_squared_error
from minitf.compat.contrib.streaming_metrics import streaming_precision as streaming_precision
from minitf.compat.contrib.streaming_metrics import streaming_recall as streaming_recall
from minitf.compat.contrib.streaming_metrics import streaming_root_mean_squared_error as streaming_root_mean_squared_error
from minitf.compat.contrib.streaming_metrics import streaming_true_negatives as streaming_true_negatives
from minitf.compat.contrib.streaming_metrics import streaming_true_positives as streaming_true_positives
from minitf.library.metrics.base import mean_tensor as streaming_mean_tensor
from minitf.library.metrics.top_k import recall_at_k as streaming_recall_at_k
from minitf.library.metrics.top_k import recall_at_k as streaming_sparse_recall_at_k
from minitf.library.numeric.confusion_matrix import confusion_matrix as confusion_matrix
from minitf.library.sparse.sets import set_difference as set_difference
from minitf.library.sparse.sets import set_intersection as set_intersection
from minitf.library.sparse.sets import set_size as set_size
from minitf.library.sparse.sets import set_union as set_union

__all__ = [
    "accuracy", "aggregate_metric_map", "aggregate_metrics", "confusion_matrix",
    "set_difference", "set_intersection", "set_size", "set_union", "streaming_accuracy",
    "streaming_auc", "streaming_false_negatives", "streaming_false_positives", "streaming_mean",
    "streaming_mean_absolute_error", "streaming_mean_squared_error", "streaming_mean_tensor",
    "streaming_precision", "streaming_recall", "streaming_recall_at_k",
    "streaming_root_mean_squared_error", "streaming_sparse_recall_at_k",
    "streaming_true_negatives", "streaming_true_positives"
]

"""The names of `tf.contrib.metrics`."""

from minitf.compat.contrib.streaming_metrics import aggregate_metric_map as aggregate_metric_map
from minitf.compat.contrib.streaming_metrics import aggregate_metrics as aggregate_metrics
from minitf.compat.contrib.streaming_metrics import streaming_accuracy as streaming_accuracy
from minitf.compat.contrib.streaming_metrics import streaming_mean_absolute_error as streaming_mean_absolute_error
from minitf.compat.contrib.streaming_metrics import streaming_precision as streaming_precision
from minitf.compat.contrib.streaming_metrics import streaming_recall as streaming_recall
from minitf.compat.contrib.streaming_metrics import streaming_root_mean_squared_error as streaming_root_mean_squared_error
from minitf.compat.contrib.streaming_metrics import streaming_sparse_average_precision_at_k as streaming_sparse_average_precision_at_k
from minitf.compat.contrib.streaming_metrics import streaming_sparse_precision_at_k as streaming_sparse_precision_at_k
from minitf.compat.contrib.streaming_metrics import streaming_sparse_recall_at_k as streaming_sparse_recall_at_k
from minitf.library.metrics.base import mean as streaming_mean
from minitf.library.numeric.confusion_matrix import confusion_matrix as confusion_matrix

__all__ = [
    "aggregate_metric_map", "aggregate_metrics", "confusion_matrix", "streaming_accuracy",
    "streaming_mean", "streaming_mean_absolute_error", "streaming_precision",
    "streaming_recall", "streaming_root_mean_squared_error",
    "streaming_sparse_average_precision_at_k", "streaming_sparse_precision_at_k",
    "streaming_sparse_recall_at_k"
]

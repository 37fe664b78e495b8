"""The namespace `tf.contrib.metrics`: names only."""

from minitf.compat.streaming_metrics import (
    accuracy,
    streaming_accuracy,
    streaming_auc,
    streaming_false_negatives,
    streaming_false_positives,
    streaming_mean,
    streaming_mean_absolute_error,
    streaming_mean_squared_error,
    streaming_precision,
    streaming_recall,
    streaming_root_mean_squared_error,
    streaming_true_negatives,
    streaming_true_positives,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

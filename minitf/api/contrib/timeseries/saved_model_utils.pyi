"""The names of `tf.contrib.timeseries.saved_model_utils`."""

from minitf.compat.contrib.time_series_estimator import filter_continuation as filter_continuation
from minitf.compat.contrib.time_series_estimator import predict_continuation as predict_continuation

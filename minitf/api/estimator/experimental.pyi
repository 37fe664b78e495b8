"""The names of `tf.estimator.experimental`."""

from minitf.library.estimator.early_stopping import make_early_stopping_hook as make_early_stopping_hook
from minitf.library.estimator.early_stopping import stop_if_higher_hook as stop_if_higher_hook
from minitf.library.estimator.early_stopping import stop_if_lower_hook as stop_if_lower_hook
from minitf.library.estimator.early_stopping import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from minitf.library.estimator.early_stopping import stop_if_no_increase_hook as stop_if_no_increase_hook
from minitf.library.estimator.export import build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn

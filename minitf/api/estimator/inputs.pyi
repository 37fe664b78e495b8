"""The names of `tf.estimator.inputs`."""

from minitf.library.estimator.inputs import numpy_input_fn as numpy_input_fn
from minitf.library.estimator.inputs import pandas_input_fn as pandas_input_fn

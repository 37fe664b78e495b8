"""The names of `tf.contrib.learn.io`."""

from minitf.compat.contrib.learn_io import numpy_input_fn as numpy_input_fn
from minitf.compat.contrib.learn_io import pandas_input_fn as pandas_input_fn

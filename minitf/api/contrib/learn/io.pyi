"""The names of `tf.contrib.learn.io`."""

from minitf.compat.contrib.learn_io import extract_pandas_data as extract_pandas_data
from minitf.compat.contrib.learn_io import extract_pandas_labels as extract_pandas_labels
from minitf.compat.contrib.learn_io import extract_pandas_matrix as extract_pandas_matrix
from minitf.compat.contrib.learn_io import generator_input_fn as generator_input_fn
from minitf.compat.contrib.learn_io import numpy_input_fn as numpy_input_fn
from minitf.compat.contrib.learn_io import pandas_input_fn as pandas_input_fn
from minitf.compat.contrib.learn_io import read_batch_examples as read_batch_examples
from minitf.compat.contrib.learn_io import read_batch_features as read_batch_features
from minitf.compat.contrib.learn_io import read_batch_record_features as read_batch_record_features
from minitf.compat.contrib.learn_io import read_keyed_batch_examples as read_keyed_batch_examples
from minitf.compat.contrib.learn_io import read_keyed_batch_features as read_keyed_batch_features

"""The names of `tf.contrib.learn.io`."""

from minitf.compat.contrib.learn_io import read_batch_features as read_batch_features
from minitf.compat.contrib.learn_io import read_keyed_batch_examples as read_keyed_batch_examples
from minitf.compat.contrib.learn_io import read_keyed_batch_features as read_keyed_batch_features

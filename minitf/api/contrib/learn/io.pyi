"""The names of `tf.contrib.learn.io`."""

from minitf.compat.contrib.learn_data import read_batch_features as read_batch_features

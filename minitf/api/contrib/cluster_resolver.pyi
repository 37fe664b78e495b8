"""The names of `tf.contrib.cluster_resolver`."""

from minitf.library.distribute.tpu import TPUClusterResolver as TPUClusterResolver

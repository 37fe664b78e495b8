"""The names of `tf.contrib.cluster_resolver`."""

from minitf.library.distribute.tpu_system import TPUClusterResolver as TPUClusterResolver

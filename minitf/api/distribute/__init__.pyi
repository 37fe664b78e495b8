"""The names of `tf.distribute`."""

from minitf.api.distribute import cluster_resolver as cluster_resolver

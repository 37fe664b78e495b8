"""The names of `tf.distribute.cluster_resolver`."""

from minitf.library.distribute.resolvers import ClusterResolver as ClusterResolver
from minitf.library.distribute.resolvers import SlurmClusterResolver as SlurmClusterResolver
from minitf.library.distribute.resolvers import TFConfigClusterResolver as TFConfigClusterResolver
from minitf.library.distribute.tpu import TPUClusterResolver as TPUClusterResolver

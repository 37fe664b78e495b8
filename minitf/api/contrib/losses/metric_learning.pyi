"""The names of `tf.contrib.losses.metric_learning`."""

from minitf.compat.contrib.metric_learning import pairwise_distance as pairwise_distance
from minitf.compat.contrib.metric_learning import triplet_semihard_loss as triplet_semihard_loss

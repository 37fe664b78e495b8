"""The names of `tf.contrib.boosted_trees`."""

from minitf.api.contrib.boosted_trees import estimator_batch as estimator_batch
from minitf.api.contrib.boosted_trees import proto as proto

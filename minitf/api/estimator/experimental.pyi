"""The names of `tf.estimator.experimental`."""

from minitf.compat.contrib.clustering import KMeansClustering as KMeans
from minitf.library.estimator.linear_sdca import LinearSDCA as LinearSDCA
from minitf.library.trees.boosted_trees import boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory

__all__ = [
    "KMeans", "LinearSDCA", "boosted_trees_classifier_train_in_memory"
]

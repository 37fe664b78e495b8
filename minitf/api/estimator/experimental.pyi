"""The names of `tf.estimator.experimental`."""

from minitf.compat.contrib.clustering import KMeansClustering as KMeans
from minitf.library.estimator.linear_sdca import LinearSDCA as LinearSDCA
from minitf.library.estimator.premade import dnn_logit_fn_builder as dnn_logit_fn_builder
from minitf.library.estimator.premade import linear_logit_fn_builder as linear_logit_fn_builder
from minitf.library.trees.boosted_trees import boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory

__all__ = [
    "KMeans", "LinearSDCA", "boosted_trees_classifier_train_in_memory", "dnn_logit_fn_builder",
    "linear_logit_fn_builder"
]

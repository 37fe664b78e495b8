"""The names of `tf.contrib.estimator`."""

from minitf.library.estimator.estimator import add_metrics as add_metrics
from minitf.library.trees.boosted_trees import boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory

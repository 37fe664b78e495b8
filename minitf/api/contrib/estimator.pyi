"""The names of `tf.contrib.estimator`."""

from minitf.library.trees.boosted_trees import boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory
from minitf.library.trees.boosted_trees import boosted_trees_regressor_train_in_memory as boosted_trees_regressor_train_in_memory

"""The names of `tf.contrib.estimator`."""

from minitf.compat.contrib.estimator_tools import clip_gradients_by_norm as clip_gradients_by_norm
from minitf.library.estimator.estimator import add_metrics as add_metrics
from minitf.library.estimator.head_kinds import BinaryClassHead as binary_classification_head
from minitf.library.estimator.head_kinds import MultiClassHead as multi_class_head
from minitf.library.estimator.premade import BaselineEstimator as BaselineEstimator
from minitf.library.estimator.premade import DNNEstimator as DNNEstimator
from minitf.library.estimator.premade import DNNLinearCombinedEstimator as DNNLinearCombinedEstimator
from minitf.library.estimator.premade import LinearEstimator as LinearEstimator
from minitf.library.estimator.premade import dnn_logit_fn_builder as dnn_logit_fn_builder
from minitf.library.estimator.premade import linear_logit_fn_builder as linear_logit_fn_builder
from minitf.library.trees.boosted_trees import boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory

__all__ = [
    "BaselineEstimator", "DNNEstimator", "DNNLinearCombinedEstimator", "LinearEstimator",
    "add_metrics", "binary_classification_head", "boosted_trees_classifier_train_in_memory",
    "clip_gradients_by_norm", "dnn_logit_fn_builder", "linear_logit_fn_builder",
    "multi_class_head"
]

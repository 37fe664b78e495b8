"""The names of `tf.contrib.estimator`."""

from minitf.compat.contrib.estimator_tools import clip_gradients_by_norm as clip_gradients_by_norm
from minitf.compat.contrib.estimator_tools import forward_features as forward_features
from minitf.compat.contrib.estimator_tools import poisson_regression_head as poisson_regression_head
from minitf.compat.contrib.estimator_tools import regression_head as regression_head
from minitf.compat.contrib.rnn_estimator import RNNClassifier as RNNClassifier
from minitf.compat.contrib.rnn_estimator import RNNEstimator as RNNEstimator
from minitf.library.estimator.early_stopping import make_early_stopping_hook as make_early_stopping_hook
from minitf.library.estimator.early_stopping import read_eval_metrics as read_eval_metrics
from minitf.library.estimator.early_stopping import stop_if_higher_hook as stop_if_higher_hook
from minitf.library.estimator.early_stopping import stop_if_lower_hook as stop_if_lower_hook
from minitf.library.estimator.early_stopping import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from minitf.library.estimator.early_stopping import stop_if_no_increase_hook as stop_if_no_increase_hook
from minitf.library.estimator.estimator import add_metrics as add_metrics
from minitf.library.estimator.export import build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn
from minitf.library.estimator.head_kinds import BinaryClassHead as binary_classification_head
from minitf.library.estimator.head_kinds import LogisticRegressionHead as logistic_regression_head
from minitf.library.estimator.head_kinds import MultiClassHead as multi_class_head
from minitf.library.estimator.head_kinds import MultiHead as multi_head
from minitf.library.estimator.head_kinds import MultiLabelHead as multi_label_head
from minitf.library.estimator.memory_evaluation import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from minitf.library.estimator.premade import BaselineEstimator as BaselineEstimator
from minitf.library.estimator.premade import DNNEstimator as DNNEstimator
from minitf.library.estimator.premade import DNNLinearCombinedEstimator as DNNLinearCombinedEstimator
from minitf.library.estimator.premade import LinearEstimator as LinearEstimator
from minitf.library.estimator.premade import dnn_logit_fn_builder as dnn_logit_fn_builder
from minitf.library.estimator.premade import linear_logit_fn_builder as linear_logit_fn_builder
from minitf.library.trees.boosted_trees import boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory
from minitf.library.trees.boosted_trees import boosted_trees_regressor_train_in_memory as boosted_trees_regressor_train_in_memory

__all__ = [
    "BaselineEstimator", "DNNEstimator", "DNNLinearCombinedEstimator", "InMemoryEvaluatorHook",
    "LinearEstimator", "RNNClassifier", "RNNEstimator", "add_metrics",
    "binary_classification_head", "boosted_trees_classifier_train_in_memory",
    "boosted_trees_regressor_train_in_memory", "build_raw_supervised_input_receiver_fn",
    "clip_gradients_by_norm", "dnn_logit_fn_builder", "forward_features",
    "linear_logit_fn_builder", "logistic_regression_head", "make_early_stopping_hook",
    "multi_class_head", "multi_head", "multi_label_head", "poisson_regression_head",
    "read_eval_metrics", "regression_head", "stop_if_higher_hook", "stop_if_lower_hook",
    "stop_if_no_decrease_hook", "stop_if_no_increase_hook"
]

"""The names of `tf.estimator.experimental`."""

from minitf.compat.contrib.kmeans_estimator import KMeansClustering as KMeans
from minitf.library.estimator.early_stopping import make_early_stopping_hook as make_early_stopping_hook
from minitf.library.estimator.early_stopping import make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook
from minitf.library.estimator.early_stopping import stop_if_higher_hook as stop_if_higher_hook
from minitf.library.estimator.early_stopping import stop_if_lower_hook as stop_if_lower_hook
from minitf.library.estimator.early_stopping import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from minitf.library.estimator.early_stopping import stop_if_no_increase_hook as stop_if_no_increase_hook
from minitf.library.estimator.export import build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn
from minitf.library.estimator.linear_sdca import LinearSDCA as LinearSDCA
from minitf.library.estimator.memory_evaluation import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from minitf.library.estimator.premade import call_logit_fn as call_logit_fn
from minitf.library.estimator.premade import dnn_logit_fn_builder as dnn_logit_fn_builder
from minitf.library.estimator.premade import linear_logit_fn_builder as linear_logit_fn_builder
from minitf.library.estimator.recurrent import RNNClassifier as RNNClassifier
from minitf.library.estimator.recurrent import RNNEstimator as RNNEstimator
from minitf.library.trees.boosted_trees import boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory
from minitf.library.trees.boosted_trees import boosted_trees_regressor_train_in_memory as boosted_trees_regressor_train_in_memory

__all__ = [
    "InMemoryEvaluatorHook", "KMeans", "LinearSDCA", "RNNClassifier", "RNNEstimator",
    "boosted_trees_classifier_train_in_memory", "boosted_trees_regressor_train_in_memory",
    "build_raw_supervised_input_receiver_fn", "call_logit_fn", "dnn_logit_fn_builder",
    "linear_logit_fn_builder", "make_early_stopping_hook", "make_stop_at_checkpoint_step_hook",
    "stop_if_higher_hook", "stop_if_lower_hook", "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook"
]

"""The names of `tf.contrib.learn`."""

from minitf.api.contrib.learn import datasets as datasets
from minitf.api.contrib.learn import estimators as estimators
from minitf.api.contrib.learn import io as io
from minitf.compat.contrib import graph_actions as graph_actions
from minitf.compat.contrib import experiment as learn_runner
from minitf.compat.contrib import learn as metric_spec
from minitf.compat.contrib import learn_keys as model_fn
from minitf.compat.contrib import learn_models as models
from minitf.compat.contrib import monitors as monitors
from minitf.compat.contrib import learn_ops as ops
from minitf.compat.contrib import learn_keys as prediction_key
from minitf.compat.contrib import vocabulary as preprocessing
from minitf.compat.contrib.experiment import Experiment as Experiment
from minitf.compat.contrib.exports import ExportStrategy as ExportStrategy
from minitf.compat.contrib.exports import GraphRewriteSpec as GraphRewriteSpec
from minitf.compat.contrib.exports import InputFnOps as InputFnOps
from minitf.compat.contrib.exports import build_default_serving_input_fn as build_default_serving_input_fn
from minitf.compat.contrib.exports import build_parsing_serving_input_fn as build_parsing_serving_input_fn
from minitf.compat.contrib.exports import make_export_strategy as make_export_strategy
from minitf.compat.contrib.graph_actions import evaluate as evaluate
from minitf.compat.contrib.graph_actions import infer as infer
from minitf.compat.contrib.graph_actions import run_feeds as run_feeds
from minitf.compat.contrib.graph_actions import run_n as run_n
from minitf.compat.contrib.graph_actions import train as train
from minitf.compat.contrib.learn import BaseEstimator as BaseEstimator
from minitf.compat.contrib.learn import DNNClassifier as DNNClassifier
from minitf.compat.contrib.learn import DNNLinearCombinedClassifier as DNNLinearCombinedClassifier
from minitf.compat.contrib.learn import DNNLinearCombinedRegressor as DNNLinearCombinedRegressor
from minitf.compat.contrib.learn import DNNRegressor as DNNRegressor
from minitf.compat.contrib.learn import Estimator as Estimator
from minitf.compat.contrib.learn import Evaluable as Evaluable
from minitf.compat.contrib.learn import LinearClassifier as LinearClassifier
from minitf.compat.contrib.learn import LinearRegressor as LinearRegressor
from minitf.compat.contrib.learn import MetricSpec as MetricSpec
from minitf.compat.contrib.learn import RunConfig as RunConfig
from minitf.compat.contrib.learn import SKCompat as SKCompat
from minitf.compat.contrib.learn import Trainable as Trainable
from minitf.compat.contrib.learn import infer_real_valued_columns_from_input as infer_real_valued_columns_from_input
from minitf.compat.contrib.learn import infer_real_valued_columns_from_input_fn as infer_real_valued_columns_from_input_fn
from minitf.compat.contrib.learn_estimators import DNNEstimator as DNNEstimator
from minitf.compat.contrib.learn_estimators import DNNLinearCombinedEstimator as DNNLinearCombinedEstimator
from minitf.compat.contrib.learn_estimators import KMeansClustering as KMeansClustering
from minitf.compat.contrib.learn_estimators import LinearEstimator as LinearEstimator
from minitf.compat.contrib.learn_estimators import LogisticRegressor as LogisticRegressor
from minitf.compat.contrib.learn_estimators import NotFittedError as NotFittedError
from minitf.compat.contrib.learn_estimators import SVM as SVM
from minitf.compat.contrib.learn_heads import Head as Head
from minitf.compat.contrib.learn_heads import binary_svm_head as binary_svm_head
from minitf.compat.contrib.learn_heads import loss_only_head as loss_only_head
from minitf.compat.contrib.learn_heads import multi_class_head as multi_class_head
from minitf.compat.contrib.learn_heads import multi_head as multi_head
from minitf.compat.contrib.learn_heads import multi_label_head as multi_label_head
from minitf.compat.contrib.learn_heads import no_op_train_fn as no_op_train_fn
from minitf.compat.contrib.learn_heads import poisson_regression_head as poisson_regression_head
from minitf.compat.contrib.learn_heads import regression_head as regression_head
from minitf.compat.contrib.learn_io import extract_pandas_data as extract_pandas_data
from minitf.compat.contrib.learn_io import extract_pandas_labels as extract_pandas_labels
from minitf.compat.contrib.learn_io import extract_pandas_matrix as extract_pandas_matrix
from minitf.compat.contrib.learn_io import read_batch_examples as read_batch_examples
from minitf.compat.contrib.learn_io import read_batch_features as read_batch_features
from minitf.compat.contrib.learn_io import read_batch_record_features as read_batch_record_features
from minitf.compat.contrib.learn_io import read_keyed_batch_examples as read_keyed_batch_examples
from minitf.compat.contrib.learn_io import read_keyed_batch_features as read_keyed_batch_features
from minitf.compat.contrib.learn_keys import ClusterConfig as ClusterConfig
from minitf.compat.contrib.learn_keys import Environment as Environment
from minitf.compat.contrib.learn_keys import MetricKey as MetricKey
from minitf.compat.contrib.learn_keys import ModeKeys as ModeKeys
from minitf.compat.contrib.learn_keys import ModelFnOps as ModelFnOps
from minitf.compat.contrib.learn_keys import PredictionKey as PredictionKey
from minitf.compat.contrib.learn_keys import PredictionType as PredictionType
from minitf.compat.contrib.learn_keys import ProblemType as ProblemType
from minitf.compat.contrib.learn_rnn import DynamicRnnEstimator as DynamicRnnEstimator
from minitf.compat.contrib.skflow import TensorFlowClassifier as TensorFlowClassifier
from minitf.compat.contrib.skflow import TensorFlowDNNClassifier as TensorFlowDNNClassifier
from minitf.compat.contrib.skflow import TensorFlowDNNRegressor as TensorFlowDNNRegressor
from minitf.compat.contrib.skflow import TensorFlowEstimator as TensorFlowEstimator
from minitf.compat.contrib.skflow import TensorFlowLinearClassifier as TensorFlowLinearClassifier
from minitf.compat.contrib.skflow import TensorFlowLinearRegressor as TensorFlowLinearRegressor
from minitf.compat.contrib.skflow import TensorFlowRNNClassifier as TensorFlowRNNClassifier
from minitf.compat.contrib.skflow import TensorFlowRNNRegressor as TensorFlowRNNRegressor
from minitf.compat.contrib.skflow import TensorFlowRegressor as TensorFlowRegressor
from minitf.library.estimator.run_config import TaskType as TaskType
from minitf.library.sessions.basic_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError

__all__ = [
    "BaseEstimator", "ClusterConfig", "DNNClassifier", "DNNEstimator",
    "DNNLinearCombinedClassifier", "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor",
    "DNNRegressor", "DynamicRnnEstimator", "Environment", "Estimator", "Evaluable",
    "Experiment", "ExportStrategy", "GraphRewriteSpec", "Head", "InputFnOps",
    "KMeansClustering", "LinearClassifier", "LinearEstimator", "LinearRegressor",
    "LogisticRegressor", "MetricKey", "MetricSpec", "ModeKeys", "ModelFnOps",
    "NanLossDuringTrainingError", "NotFittedError", "PredictionKey", "PredictionType",
    "ProblemType", "RunConfig", "SKCompat", "SVM", "TaskType", "TensorFlowClassifier",
    "TensorFlowDNNClassifier", "TensorFlowDNNRegressor", "TensorFlowEstimator",
    "TensorFlowLinearClassifier", "TensorFlowLinearRegressor", "TensorFlowRNNClassifier",
    "TensorFlowRNNRegressor", "TensorFlowRegressor", "Trainable", "binary_svm_head",
    "build_default_serving_input_fn", "build_parsing_serving_input_fn", "datasets",
    "estimators", "evaluate", "extract_pandas_data", "extract_pandas_labels",
    "extract_pandas_matrix", "graph_actions", "infer", "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn", "io", "learn_runner", "loss_only_head",
    "make_export_strategy", "metric_spec", "model_fn", "models", "monitors", "multi_class_head",
    "multi_head", "multi_label_head", "no_op_train_fn", "ops", "poisson_regression_head",
    "prediction_key", "preprocessing", "read_batch_examples", "read_batch_features",
    "read_batch_record_features", "read_keyed_batch_examples", "read_keyed_batch_features",
    "regression_head", "run_feeds", "run_n", "train"
]

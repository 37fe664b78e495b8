"""The names of `tf.contrib.learn.estimators`."""

from minitf.compat.contrib import learn_keys as constants
from minitf.compat.contrib import learn as dnn
from minitf.compat.contrib import learn as dnn_linear_combined
from minitf.compat.contrib import learn_rnn as dynamic_rnn_estimator
from minitf.compat.contrib import learn as estimator
from minitf.compat.contrib import learn_heads as head
from minitf.compat.contrib import learn_estimators as kmeans
from minitf.compat.contrib import learn as linear
from minitf.compat.contrib import learn_estimators as logistic_regressor
from minitf.compat.contrib import learn_keys as metric_key
from minitf.compat.contrib import learn_keys as model_fn
from minitf.compat.contrib import learn_keys as prediction_key
from minitf.compat.contrib import learn_rnn as rnn_common
from minitf.compat.contrib import learn as run_config
from minitf.compat.contrib import learn_estimators as svm
from minitf.compat.contrib.learn import BaseEstimator as BaseEstimator
from minitf.compat.contrib.learn import DNNClassifier as DNNClassifier
from minitf.compat.contrib.learn import DNNLinearCombinedClassifier as DNNLinearCombinedClassifier
from minitf.compat.contrib.learn import DNNLinearCombinedRegressor as DNNLinearCombinedRegressor
from minitf.compat.contrib.learn import DNNRegressor as DNNRegressor
from minitf.compat.contrib.learn import Estimator as Estimator
from minitf.compat.contrib.learn import LinearClassifier as LinearClassifier
from minitf.compat.contrib.learn import LinearRegressor as LinearRegressor
from minitf.compat.contrib.learn import RunConfig as RunConfig
from minitf.compat.contrib.learn import SKCompat as SKCompat
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

__all__ = [
    "BaseEstimator", "ClusterConfig", "DNNClassifier", "DNNEstimator",
    "DNNLinearCombinedClassifier", "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor",
    "DNNRegressor", "DynamicRnnEstimator", "Environment", "Estimator", "Head",
    "KMeansClustering", "LinearClassifier", "LinearEstimator", "LinearRegressor",
    "LogisticRegressor", "MetricKey", "ModeKeys", "ModelFnOps", "NotFittedError",
    "PredictionKey", "PredictionType", "ProblemType", "RunConfig", "SKCompat", "SVM",
    "TaskType", "TensorFlowClassifier", "TensorFlowDNNClassifier", "TensorFlowDNNRegressor",
    "TensorFlowEstimator", "TensorFlowLinearClassifier", "TensorFlowLinearRegressor",
    "TensorFlowRNNClassifier", "TensorFlowRNNRegressor", "TensorFlowRegressor",
    "binary_svm_head", "constants", "dnn", "dnn_linear_combined", "dynamic_rnn_estimator",
    "estimator", "head", "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn", "kmeans", "linear", "logistic_regressor",
    "loss_only_head", "metric_key", "model_fn", "multi_class_head", "multi_head",
    "multi_label_head", "no_op_train_fn", "poisson_regression_head", "prediction_key",
    "regression_head", "rnn_common", "run_config", "svm"
]

"""The names of `tf.contrib.learn`."""

from minitf.api.contrib.learn import datasets as datasets
from minitf.api.contrib.learn import estimators as estimators
from minitf.api.contrib.learn import io as io
from minitf.compat.contrib import graph_actions as graph_actions
from minitf.compat.contrib import experiment as learn_runner
from minitf.compat.contrib import learn as metric_spec
from minitf.compat.contrib import learn_keys as model_fn
from minitf.compat.contrib import monitors as monitors
from minitf.compat.contrib import learn_keys as prediction_key
from minitf.compat.contrib import vocabulary as preprocessing
from minitf.compat.contrib.experiment import Experiment as Experiment
from minitf.compat.contrib.exports import ExportStrategy as ExportStrategy
from minitf.compat.contrib.exports import InputFnOps as InputFnOps
from minitf.compat.contrib.exports import make_export_strategy as make_export_strategy
from minitf.compat.contrib.graph_actions import train as train
from minitf.compat.contrib.learn import BaseEstimator as BaseEstimator
from minitf.compat.contrib.learn import DNNClassifier as DNNClassifier
from minitf.compat.contrib.learn import DNNRegressor as DNNRegressor
from minitf.compat.contrib.learn import Estimator as Estimator
from minitf.compat.contrib.learn import Evaluable as Evaluable
from minitf.compat.contrib.learn import LinearClassifier as LinearClassifier
from minitf.compat.contrib.learn import LinearRegressor as LinearRegressor
from minitf.compat.contrib.learn import MetricSpec as MetricSpec
from minitf.compat.contrib.learn import RunConfig as RunConfig
from minitf.compat.contrib.learn import Trainable as Trainable
from minitf.compat.contrib.learn_estimators import KMeansClustering as KMeansClustering
from minitf.compat.contrib.learn_io import read_batch_features as read_batch_features
from minitf.compat.contrib.learn_io import read_keyed_batch_examples as read_keyed_batch_examples
from minitf.compat.contrib.learn_io import read_keyed_batch_features as read_keyed_batch_features
from minitf.compat.contrib.learn_keys import MetricKey as MetricKey
from minitf.compat.contrib.learn_keys import ModeKeys as ModeKeys
from minitf.compat.contrib.learn_keys import ModelFnOps as ModelFnOps
from minitf.compat.contrib.learn_keys import PredictionKey as PredictionKey
from minitf.compat.contrib.learn_keys import ProblemType as ProblemType
from minitf.library.estimator.run_config import TaskType as TaskType
from minitf.library.sessions.basic_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError

__all__ = [
    "BaseEstimator", "DNNClassifier", "DNNRegressor", "Estimator", "Evaluable", "Experiment",
    "ExportStrategy", "InputFnOps", "KMeansClustering", "LinearClassifier", "LinearRegressor",
    "MetricKey", "MetricSpec", "ModeKeys", "ModelFnOps", "NanLossDuringTrainingError",
    "PredictionKey", "ProblemType", "RunConfig", "TaskType", "Trainable", "datasets",
    "estimators", "graph_actions", "io", "learn_runner", "make_export_strategy", "metric_spec",
    "model_fn", "monitors", "prediction_key", "preprocessing", "read_batch_features",
    "read_keyed_batch_examples", "read_keyed_batch_features", "train"
]

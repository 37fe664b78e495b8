"""The names of `tf.contrib.learn`."""

from minitf.api.contrib.learn import datasets as datasets
from minitf.api.contrib.learn import io as io
from minitf.compat.contrib import learn_experiment as learn_runner
from minitf.compat.contrib import learn as metric_spec
from minitf.compat.contrib import learn_experiment as model_fn
from minitf.compat.contrib import learn_experiment as monitors
from minitf.compat.contrib import learn_experiment as prediction_key
from minitf.compat.contrib import learn_data as preprocessing
from minitf.compat.contrib.learn import DNNClassifier as DNNClassifier
from minitf.compat.contrib.learn import DNNRegressor as DNNRegressor
from minitf.compat.contrib.learn import Estimator as Estimator
from minitf.compat.contrib.learn import KMeansClustering as KMeansClustering
from minitf.compat.contrib.learn import LinearClassifier as LinearClassifier
from minitf.compat.contrib.learn import LinearRegressor as LinearRegressor
from minitf.compat.contrib.learn import MetricSpec as MetricSpec
from minitf.compat.contrib.learn import RunConfig as RunConfig
from minitf.compat.contrib.learn_experiment import Experiment as Experiment
from minitf.compat.contrib.learn_experiment import InputFnOps as InputFnOps
from minitf.compat.contrib.learn_experiment import ModeKeys as ModeKeys
from minitf.compat.contrib.learn_experiment import ModelFnOps as ModelFnOps
from minitf.compat.contrib.learn_experiment import PredictionKey as PredictionKey
from minitf.compat.contrib.learn_experiment import ProblemType as ProblemType
from minitf.compat.contrib.learn_experiment import make_export_strategy as make_export_strategy
from minitf.compat.contrib.learn_experiment import train as train
from minitf.library.sessions.basic_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError

__all__ = [
    "DNNClassifier", "DNNRegressor", "Estimator", "Experiment", "InputFnOps",
    "KMeansClustering", "LinearClassifier", "LinearRegressor", "MetricSpec", "ModeKeys",
    "ModelFnOps", "NanLossDuringTrainingError", "PredictionKey", "ProblemType", "RunConfig",
    "datasets", "io", "learn_runner", "make_export_strategy", "metric_spec", "model_fn",
    "monitors", "prediction_key", "preprocessing", "train"
]

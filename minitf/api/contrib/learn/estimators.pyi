"""The names of `tf.contrib.learn.estimators`."""

from minitf.compat.contrib import learn_keys as constants
from minitf.compat.contrib import learn as dnn
from minitf.compat.contrib import learn as dnn_linear_combined
from minitf.compat.contrib import learn as estimator
from minitf.compat.contrib import learn_estimators as kmeans
from minitf.compat.contrib import learn as linear
from minitf.compat.contrib import learn_estimators as logistic_regressor
from minitf.compat.contrib import learn_keys as metric_key
from minitf.compat.contrib import learn_keys as model_fn
from minitf.compat.contrib import learn_keys as prediction_key
from minitf.compat.contrib import learn as run_config
from minitf.compat.contrib import learn_estimators as svm
from minitf.compat.contrib.learn import BaseEstimator as BaseEstimator
from minitf.compat.contrib.learn import DNNClassifier as DNNClassifier
from minitf.compat.contrib.learn import DNNRegressor as DNNRegressor
from minitf.compat.contrib.learn import Estimator as Estimator
from minitf.compat.contrib.learn import LinearClassifier as LinearClassifier
from minitf.compat.contrib.learn import LinearRegressor as LinearRegressor
from minitf.compat.contrib.learn import RunConfig as RunConfig
from minitf.compat.contrib.learn_estimators import KMeansClustering as KMeansClustering
from minitf.compat.contrib.learn_keys import MetricKey as MetricKey
from minitf.compat.contrib.learn_keys import ModeKeys as ModeKeys
from minitf.compat.contrib.learn_keys import ModelFnOps as ModelFnOps
from minitf.compat.contrib.learn_keys import PredictionKey as PredictionKey
from minitf.compat.contrib.learn_keys import ProblemType as ProblemType
from minitf.library.estimator.run_config import TaskType as TaskType

__all__ = [
    "BaseEstimator", "DNNClassifier", "DNNRegressor", "Estimator", "KMeansClustering",
    "LinearClassifier", "LinearRegressor", "MetricKey", "ModeKeys", "ModelFnOps",
    "PredictionKey", "ProblemType", "RunConfig", "TaskType", "constants", "dnn",
    "dnn_linear_combined", "estimator", "kmeans", "linear", "logistic_regressor", "metric_key",
    "model_fn", "prediction_key", "run_config", "svm"
]

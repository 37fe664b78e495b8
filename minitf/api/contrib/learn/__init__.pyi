"""The names of `tf.contrib.learn`."""

from minitf.api.contrib.learn import datasets as datasets
from minitf.api.contrib.learn import io as io
from minitf.compat.contrib import learn as estimators
from minitf.compat.contrib import experiment as learn_runner
from minitf.compat.contrib import learn as metric_spec
from minitf.compat.contrib import learn as model_fn
from minitf.compat.contrib import learn_models as models
from minitf.compat.contrib import monitors as monitors
from minitf.compat.contrib import learn as prediction_key
from minitf.compat.contrib import vocabulary as preprocessing
from minitf.compat.contrib.experiment import Experiment as Experiment
from minitf.compat.contrib.exports import ExportStrategy as ExportStrategy
from minitf.compat.contrib.exports import InputFnOps as InputFnOps
from minitf.compat.contrib.exports import build_default_serving_input_fn as build_default_serving_input_fn
from minitf.compat.contrib.exports import build_parsing_serving_input_fn as build_parsing_serving_input_fn
from minitf.compat.contrib.exports import make_export_strategy as make_export_strategy
from minitf.compat.contrib.learn import DNNClassifier as DNNClassifier
from minitf.compat.contrib.learn import DNNLinearCombinedClassifier as DNNLinearCombinedClassifier
from minitf.compat.contrib.learn import DNNLinearCombinedRegressor as DNNLinearCombinedRegressor
from minitf.compat.contrib.learn import DNNRegressor as DNNRegressor
from minitf.compat.contrib.learn import Estimator as Estimator
from minitf.compat.contrib.learn import LinearClassifier as LinearClassifier
from minitf.compat.contrib.learn import LinearRegressor as LinearRegressor
from minitf.compat.contrib.learn import MetricKey as MetricKey
from minitf.compat.contrib.learn import MetricSpec as MetricSpec
from minitf.compat.contrib.learn import ModeKeys as ModeKeys
from minitf.compat.contrib.learn import ModelFnOps as ModelFnOps
from minitf.compat.contrib.learn import PredictionKey as PredictionKey
from minitf.compat.contrib.learn import RunConfig as RunConfig
from minitf.compat.contrib.learn import SKCompat as SKCompat
from minitf.compat.contrib.learn import infer_real_valued_columns_from_input as infer_real_valued_columns_from_input
from minitf.compat.contrib.learn import infer_real_valued_columns_from_input_fn as infer_real_valued_columns_from_input_fn

__all__ = [
    "DNNClassifier", "DNNLinearCombinedClassifier", "DNNLinearCombinedRegressor",
    "DNNRegressor", "Estimator", "Experiment", "ExportStrategy", "InputFnOps",
    "LinearClassifier", "LinearRegressor", "MetricKey", "MetricSpec", "ModeKeys", "ModelFnOps",
    "PredictionKey", "RunConfig", "SKCompat", "build_default_serving_input_fn",
    "build_parsing_serving_input_fn", "datasets", "estimators",
    "infer_real_valued_columns_from_input", "infer_real_valued_columns_from_input_fn", "io",
    "learn_runner", "make_export_strategy", "metric_spec", "model_fn", "models", "monitors",
    "prediction_key", "preprocessing"
]

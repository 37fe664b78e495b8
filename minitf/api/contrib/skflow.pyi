"""The names of `tf.contrib.skflow`."""

from minitf.api.contrib.learn import datasets as datasets
from minitf.api.contrib.learn import estimators as estimators
from minitf.api.contrib.learn import io as io
from minitf.compat.contrib import learn_models as models
from minitf.compat.contrib import skflow_monitors as monitors
from minitf.compat.contrib import learn_ops as ops
from minitf.compat.contrib import vocabulary as preprocessing
from minitf.compat.contrib.learn import RunConfig as RunConfig
from minitf.compat.contrib.learn_io import extract_pandas_data as extract_pandas_data
from minitf.compat.contrib.learn_io import extract_pandas_labels as extract_pandas_labels
from minitf.compat.contrib.learn_io import extract_pandas_matrix as extract_pandas_matrix
from minitf.compat.contrib.skflow import TensorFlowClassifier as TensorFlowClassifier
from minitf.compat.contrib.skflow import TensorFlowDNNClassifier as TensorFlowDNNClassifier
from minitf.compat.contrib.skflow import TensorFlowDNNRegressor as TensorFlowDNNRegressor
from minitf.compat.contrib.skflow import TensorFlowEstimator as TensorFlowEstimator
from minitf.compat.contrib.skflow import TensorFlowLinearClassifier as TensorFlowLinearClassifier
from minitf.compat.contrib.skflow import TensorFlowLinearRegressor as TensorFlowLinearRegressor
from minitf.compat.contrib.skflow import TensorFlowRNNClassifier as TensorFlowRNNClassifier
from minitf.compat.contrib.skflow import TensorFlowRNNRegressor as TensorFlowRNNRegressor
from minitf.compat.contrib.skflow import TensorFlowRegressor as TensorFlowRegressor

__all__ = [
    "RunConfig", "TensorFlowClassifier", "TensorFlowDNNClassifier", "TensorFlowDNNRegressor",
    "TensorFlowEstimator", "TensorFlowLinearClassifier", "TensorFlowLinearRegressor",
    "TensorFlowRNNClassifier", "TensorFlowRNNRegressor", "TensorFlowRegressor", "datasets",
    "estimators", "extract_pandas_data", "extract_pandas_labels", "extract_pandas_matrix", "io",
    "models", "monitors", "ops", "preprocessing"
]

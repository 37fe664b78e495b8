"""The names of `tf.contrib.timeseries`."""

from minitf.api.contrib.timeseries import saved_model_utils as saved_model_utils
from minitf.compat.contrib.ar_model import ARModel as ARModel
from minitf.compat.contrib.ar_model import ARRegressor as ARRegressor
from minitf.compat.contrib.ar_model import LSTMAutoRegressor as LSTMAutoRegressor
from minitf.compat.contrib.structural_series import StructuralEnsembleRegressor as StructuralEnsembleRegressor
from minitf.compat.contrib.time_series_estimator import TimeSeriesRegressor as TimeSeriesRegressor
from minitf.compat.contrib.time_series_inputs import CSVReader as CSVReader
from minitf.compat.contrib.time_series_inputs import FilteringResults as FilteringResults
from minitf.compat.contrib.time_series_inputs import NumpyReader as NumpyReader
from minitf.compat.contrib.time_series_inputs import PredictionFeatures as PredictionFeatures
from minitf.compat.contrib.time_series_inputs import PredictionResults as PredictionResults
from minitf.compat.contrib.time_series_inputs import RandomWindowInputFn as RandomWindowInputFn
from minitf.compat.contrib.time_series_inputs import TrainEvalFeatures as TrainEvalFeatures
from minitf.compat.contrib.time_series_inputs import WholeDatasetInputFn as WholeDatasetInputFn
from minitf.compat.contrib.time_series_inputs import predict_continuation_input_fn as predict_continuation_input_fn

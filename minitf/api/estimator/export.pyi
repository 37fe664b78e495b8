"""The names of `tf.estimator.export`."""

from minitf.library.estimator.export import ClassificationOutput as ClassificationOutput
from minitf.library.estimator.export import ExportOutput as ExportOutput
from minitf.library.estimator.export import PredictOutput as PredictOutput
from minitf.library.estimator.export import RegressionOutput as RegressionOutput
from minitf.library.estimator.export import ServingInputReceiver as ServingInputReceiver
from minitf.library.estimator.export import TensorServingInputReceiver as TensorServingInputReceiver
from minitf.library.estimator.export import build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn
from minitf.library.estimator.export import build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn

"""The names of `tf.keras.metrics`."""

from minitf.library.keras.losses import binary_crossentropy as binary_crossentropy
from minitf.library.keras.losses import categorical_crossentropy as categorical_crossentropy
from minitf.library.keras.losses import cosine as cosine
from minitf.library.keras.losses import hinge as hinge
from minitf.library.keras.losses import kullback_leibler_divergence as kl_divergence
from minitf.library.keras.losses import kullback_leibler_divergence as kld
from minitf.library.keras.losses import kullback_leibler_divergence as kullback_leibler_divergence
from minitf.library.keras.losses import logcosh as log_cosh
from minitf.library.keras.losses import logcosh as logcosh
from minitf.library.keras.losses import mean_absolute_error as mae
from minitf.library.keras.losses import mean_absolute_percentage_error as mape
from minitf.library.keras.losses import mean_absolute_error as mean_absolute_error
from minitf.library.keras.losses import mean_absolute_percentage_error as mean_absolute_percentage_error
from minitf.library.keras.losses import mean_squared_error as mean_squared_error
from minitf.library.keras.losses import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from minitf.library.keras.losses import mean_squared_error as mse
from minitf.library.keras.losses import mean_squared_logarithmic_error as msle
from minitf.library.keras.losses import poisson as poisson
from minitf.library.keras.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from minitf.library.keras.losses import squared_hinge as squared_hinge
from minitf.library.keras.metrics.base import Mean as Mean
from minitf.library.keras.metrics.base import MeanMetricWrapper as MeanMetricWrapper
from minitf.library.keras.metrics.base import Metric as Metric
from minitf.library.keras.metrics.base import Sum as Sum
from minitf.library.keras.metrics.metrics import AUC as AUC
from minitf.library.keras.metrics.metrics import Accuracy as Accuracy
from minitf.library.keras.metrics.metrics import BinaryAccuracy as BinaryAccuracy
from minitf.library.keras.metrics.metrics import BinaryCrossentropy as BinaryCrossentropy
from minitf.library.keras.metrics.metrics import CategoricalAccuracy as CategoricalAccuracy
from minitf.library.keras.metrics.metrics import CategoricalCrossentropy as CategoricalCrossentropy
from minitf.library.keras.metrics.metrics import CategoricalHinge as CategoricalHinge
from minitf.library.keras.metrics.metrics import CosineSimilarity as CosineSimilarity
from minitf.library.keras.metrics.metrics import FalseNegatives as FalseNegatives
from minitf.library.keras.metrics.metrics import FalsePositives as FalsePositives
from minitf.library.keras.metrics.metrics import Hinge as Hinge
from minitf.library.keras.metrics.metrics import KLDivergence as KLDivergence
from minitf.library.keras.metrics.metrics import LogCoshError as LogCoshError
from minitf.library.keras.metrics.metrics import MeanAbsoluteError as MeanAbsoluteError
from minitf.library.keras.metrics.metrics import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from minitf.library.keras.metrics.metrics import MeanSquaredError as MeanSquaredError
from minitf.library.keras.metrics.metrics import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from minitf.library.keras.metrics.metrics import Poisson as Poisson
from minitf.library.keras.metrics.metrics import Precision as Precision
from minitf.library.keras.metrics.metrics import Recall as Recall
from minitf.library.keras.metrics.metrics import RootMeanSquaredError as RootMeanSquaredError
from minitf.library.keras.metrics.metrics import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from minitf.library.keras.metrics.metrics import SparseCategoricalCrossentropy as SparseCategoricalCrossentropy
from minitf.library.keras.metrics.metrics import SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy
from minitf.library.keras.metrics.metrics import SquaredHinge as SquaredHinge
from minitf.library.keras.metrics.metrics import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from minitf.library.keras.metrics.metrics import TrueNegatives as TrueNegatives
from minitf.library.keras.metrics.metrics import TruePositives as TruePositives
from minitf.library.keras.metrics.metrics import binary_accuracy as binary_accuracy
from minitf.library.keras.metrics.metrics import categorical_accuracy as categorical_accuracy
from minitf.library.keras.metrics.metrics import deserialize as deserialize
from minitf.library.keras.metrics.metrics import get as get
from minitf.library.keras.metrics.metrics import serialize as serialize
from minitf.library.keras.metrics.metrics import sparse_categorical_accuracy as sparse_categorical_accuracy
from minitf.library.keras.metrics.metrics import sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy
from minitf.library.keras.metrics.metrics import top_k_categorical_accuracy as top_k_categorical_accuracy

__all__ = [
    "AUC", "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy",
    "CategoricalCrossentropy", "CategoricalHinge", "CosineSimilarity", "FalseNegatives",
    "FalsePositives", "Hinge", "KLDivergence", "LogCoshError", "Mean", "MeanAbsoluteError",
    "MeanAbsolutePercentageError", "MeanMetricWrapper", "MeanSquaredError",
    "MeanSquaredLogarithmicError", "Metric", "Poisson", "Precision", "Recall",
    "RootMeanSquaredError", "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy", "SquaredHinge", "Sum", "TopKCategoricalAccuracy",
    "TrueNegatives", "TruePositives", "binary_accuracy", "binary_crossentropy",
    "categorical_accuracy", "categorical_crossentropy", "cosine", "deserialize", "get", "hinge",
    "kl_divergence", "kld", "kullback_leibler_divergence", "log_cosh", "logcosh", "mae", "mape",
    "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error",
    "mean_squared_logarithmic_error", "mse", "msle", "poisson", "serialize",
    "sparse_categorical_accuracy", "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy", "squared_hinge", "top_k_categorical_accuracy"
]

"""The names of `tf.keras.losses`."""

from minitf.library.keras.losses import BinaryCrossentropy as BinaryCrossentropy
from minitf.library.keras.losses import CategoricalCrossentropy as CategoricalCrossentropy
from minitf.library.keras.losses import CategoricalHinge as CategoricalHinge
from minitf.library.keras.losses import CosineSimilarity as CosineSimilarity
from minitf.library.keras.losses import Hinge as Hinge
from minitf.library.keras.losses import Huber as Huber
from minitf.library.keras.losses import KLDivergence as KLDivergence
from minitf.library.keras.losses import LogCosh as LogCosh
from minitf.library.keras.losses import Loss as Loss
from minitf.library.keras.losses import MeanAbsoluteError as MeanAbsoluteError
from minitf.library.keras.losses import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from minitf.library.keras.losses import MeanSquaredError as MeanSquaredError
from minitf.library.keras.losses import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from minitf.library.keras.losses import Poisson as Poisson
from minitf.library.keras.losses import Reduction as Reduction
from minitf.library.keras.losses import SparseCategoricalCrossentropy as SparseCategoricalCrossentropy
from minitf.library.keras.losses import SquaredHinge as SquaredHinge
from minitf.library.keras.losses import binary_crossentropy as binary_crossentropy
from minitf.library.keras.losses import categorical_crossentropy as categorical_crossentropy
from minitf.library.keras.losses import categorical_hinge as categorical_hinge
from minitf.library.keras.losses import cosine_similarity as cosine
from minitf.library.keras.losses import cosine_similarity as cosine_similarity
from minitf.library.keras.losses import deserialize as deserialize
from minitf.library.keras.losses import get as get
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
from minitf.library.keras.losses import serialize as serialize
from minitf.library.keras.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from minitf.library.keras.losses import squared_hinge as squared_hinge

__all__ = [
    "BinaryCrossentropy", "CategoricalCrossentropy", "CategoricalHinge", "CosineSimilarity",
    "Hinge", "Huber", "KLDivergence", "LogCosh", "Loss", "MeanAbsoluteError",
    "MeanAbsolutePercentageError", "MeanSquaredError", "MeanSquaredLogarithmicError", "Poisson",
    "Reduction", "SparseCategoricalCrossentropy", "SquaredHinge", "binary_crossentropy",
    "categorical_crossentropy", "categorical_hinge", "cosine", "cosine_similarity",
    "deserialize", "get", "hinge", "kl_divergence", "kld", "kullback_leibler_divergence",
    "log_cosh", "logcosh", "mae", "mape", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error",
    "mse", "msle", "poisson", "serialize", "sparse_categorical_crossentropy", "squared_hinge"
]

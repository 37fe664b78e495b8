"""The names of `tf.keras`."""

from minitf.api.keras import activations as activations
from minitf.api.keras import applications as applications
from minitf.api.keras import backend as backend
from minitf.api.keras import callbacks as callbacks
from minitf.api.keras import constraints as constraints
from minitf.api.keras import datasets as datasets
from minitf.api.keras import estimator as estimator
from minitf.api.keras import experimental as experimental
from minitf.api.keras import initializers as initializers
from minitf.api.keras import layers as layers
from minitf.api.keras import losses as losses
from minitf.api.keras import metrics as metrics
from minitf.api.keras import models as models
from minitf.api.keras import optimizers as optimizers
from minitf.api.keras import preprocessing as preprocessing
from minitf.api.keras import regularizers as regularizers
from minitf.api.keras import utils as utils
from minitf.library.keras.backend.session import VERSION as __version__
from minitf.library.keras.engine.input_layer import Input as Input
from minitf.library.keras.engine.sequential import Sequential as Sequential
from minitf.library.keras.engine.training import Model as Model

__all__ = [
    "Input", "Model", "Sequential", "activations", "applications", "backend", "callbacks",
    "constraints", "datasets", "estimator", "experimental", "initializers", "layers", "losses",
    "metrics", "models", "optimizers", "preprocessing", "regularizers", "utils"
]

"""The names of `tf.keras`."""

from minitf.api.keras import backend as backend
from minitf.api.keras import datasets as datasets
from minitf.api.keras import layers as layers
from minitf.api.keras import utils as utils
from minitf.library.keras.engine.version import VERSION as __version__

__all__ = [
    "backend", "datasets", "layers", "utils"
]
from minitf.api.keras import preprocessing as preprocessing

"""The names of `tf.keras`."""

from minitf.api.keras import backend as backend
from minitf.api.keras import layers as layers
from minitf.library.keras.engine.version import VERSION as __version__

__all__ = [
    "backend", "layers"
]

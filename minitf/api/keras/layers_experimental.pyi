"""The names of `tf.keras.layers.experimental`."""

from minitf.api.keras import layers_preprocessing as preprocessing
from minitf.library.keras.layers.einsum_dense import EinsumDense as EinsumDense

__all__ = [
    "EinsumDense", "preprocessing"
]

"""The names of `tf.keras.datasets.boston_housing`."""

from minitf.library.datasets.load_data import load_boston_housing as load_data

__all__ = [
    "load_data"
]

"""The names of `tf.keras.datasets.mnist`."""

from minitf.library.datasets.load_data import load_mnist as load_data

__all__ = [
    "load_data"
]

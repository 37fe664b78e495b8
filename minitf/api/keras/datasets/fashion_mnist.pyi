"""The names of `tf.keras.datasets.fashion_mnist`."""

from minitf.library.datasets.load_data import load_fashion_mnist as load_data

__all__ = [
    "load_data"
]

"""The names of `tf.keras.datasets.cifar10`."""

from minitf.library.datasets.load_data import load_cifar10 as load_data

__all__ = [
    "load_data"
]

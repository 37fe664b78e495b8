"""The names of `tf.keras.datasets.cifar100`."""

from minitf.library.datasets.load_data import load_cifar100 as load_data

__all__ = [
    "load_data"
]

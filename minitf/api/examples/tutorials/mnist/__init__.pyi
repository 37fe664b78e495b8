"""The names of `tf.examples.tutorials.mnist`."""

from minitf.api.examples.tutorials.mnist import input_data as input_data
from minitf.compat.contrib import mnist_model as mnist

__all__ = [
    "input_data", "mnist"
]

"""The namespace `tf.examples.tutorials.mnist`: names only."""

from minitf.compat import mnist_model as mnist
from minitf.examples.tutorials.mnist import input_data

__all__ = ["input_data", "mnist"]

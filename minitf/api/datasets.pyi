"""The names of `tf.datasets`."""

from minitf.library.datasets import digits as digits
from minitf.library.datasets import download as download
from minitf.library.datasets import mnist as mnist

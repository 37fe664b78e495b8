"""The names of `tf.keras.datasets`."""

from minitf.api.keras.datasets import boston_housing as boston_housing
from minitf.api.keras.datasets import cifar10 as cifar10
from minitf.api.keras.datasets import fashion_mnist as fashion_mnist
from minitf.api.keras.datasets import imdb as imdb
from minitf.api.keras.datasets import mnist as mnist

"""The names of `tf.examples.tutorials`."""

from minitf.api.examples.tutorials import mnist as mnist

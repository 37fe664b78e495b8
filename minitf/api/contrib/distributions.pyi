"""The names of `tf.contrib.distributions`."""

from minitf.api.distributions import *

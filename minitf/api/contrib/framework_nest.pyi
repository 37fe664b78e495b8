"""The names of `tf.contrib.framework.nest`."""

from minitf.api.nest import *

"""The names of `tf.contrib.tensorboard`."""

from minitf.api.contrib.tensorboard import plugins as plugins

"""The names of `tf.contrib.tensorboard.plugins`."""

from minitf.library.summary import projector as projector

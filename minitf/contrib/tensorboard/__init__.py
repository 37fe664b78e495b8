"""The namespace `tf.contrib.tensorboard`: names only."""

from minitf.contrib.tensorboard import plugins

__all__ = ["plugins"]

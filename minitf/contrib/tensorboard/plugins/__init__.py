"""The namespace `tf.contrib.tensorboard.plugins`: names only."""

from minitf.summary import projector

__all__ = ["projector"]

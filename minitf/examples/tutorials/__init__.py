"""The namespace `tf.examples.tutorials`: names only."""

from minitf.examples.tutorials import mnist

__all__ = ["mnist"]

"""The namespace `tf.examples`: names only."""

from minitf.examples import tutorials

__all__ = ["tutorials"]

"""The namespace `tf.contrib.learn`: names only."""

from minitf.compat import vocabulary as preprocessing
from minitf.contrib.learn import datasets

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

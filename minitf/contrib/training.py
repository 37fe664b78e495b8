"""The namespace `tf.contrib.training`: names only."""

from minitf.compat.hparams import HParams

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

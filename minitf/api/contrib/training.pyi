"""The names of `tf.contrib.training`."""

from minitf.compat.contrib.hparams import HParams as HParams

"""The names of `tf.contrib.periodic_resample`."""

from minitf.compat.contrib.periodic_resample import periodic_resample as periodic_resample

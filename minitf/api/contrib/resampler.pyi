"""The names of `tf.contrib.resampler`."""

from minitf.compat.contrib.small_functions import resampler as resampler

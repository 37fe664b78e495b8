"""The names of `tf.spectral`."""

from minitf.api.signal import *

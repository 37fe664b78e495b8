"""The names of `tf.contrib.nn`."""

from minitf.library.nets.convolution import conv1d_transpose as conv1d_transpose

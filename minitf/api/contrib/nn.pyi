"""The names of `tf.contrib.nn`."""

from minitf.library.nets.convolution import conv1d_transpose as conv1d_transpose
from minitf.library.numeric.sorting import nth_element as nth_element

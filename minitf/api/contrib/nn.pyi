"""The names of `tf.contrib.nn`."""

from minitf.compat.contrib.small_functions import alpha_dropout as alpha_dropout
from minitf.compat.contrib.small_functions import scaled_softplus as scaled_softplus
from minitf.library.nets.convolution import conv1d_transpose as conv1d_transpose
from minitf.library.numeric.sorting import nth_element as nth_element

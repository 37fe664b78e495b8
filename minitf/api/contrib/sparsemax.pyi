"""The names of `tf.contrib.sparsemax`."""

from minitf.compat.contrib.small_functions import sparsemax as sparsemax
from minitf.compat.contrib.small_functions import sparsemax_loss as sparsemax_loss

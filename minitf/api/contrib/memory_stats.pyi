"""The names of `tf.contrib.memory_stats`."""

from minitf.compat.contrib.small_functions import BytesInUse as BytesInUse
from minitf.compat.contrib.small_functions import BytesLimit as BytesLimit
from minitf.compat.contrib.small_functions import MaxBytesInUse as MaxBytesInUse

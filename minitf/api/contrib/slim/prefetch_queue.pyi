"""The names of `tf.contrib.slim.prefetch_queue`."""

from minitf.compat.contrib.slim_data import prefetch_queue as prefetch_queue

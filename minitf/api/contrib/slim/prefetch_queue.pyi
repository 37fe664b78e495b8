"""The names of `tf.contrib.slim.prefetch_queue`."""

from minitf.compat.slim.data import prefetch_queue as prefetch_queue

"""The names of `tf.contrib.slim.nets`."""

from minitf.api.contrib.slim.nets import inception_v3 as inception_v3

"""The names of `tf.contrib.slim.nets.inception_v3`."""

from minitf.compat.contrib.inception import inception_v3 as inception_v3
from minitf.compat.contrib.inception import inception_v3_arg_scope as inception_v3_arg_scope

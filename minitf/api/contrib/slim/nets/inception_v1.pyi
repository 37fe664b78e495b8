"""The names of `tf.contrib.slim.nets.inception_v1`."""

from minitf.compat.slim.inception import inception_v1 as inception_v1
from minitf.compat.slim.inception import inception_v1_arg_scope as inception_v1_arg_scope
from minitf.compat.slim.inception import inception_v1_base as inception_v1_base

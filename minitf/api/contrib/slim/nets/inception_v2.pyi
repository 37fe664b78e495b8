"""The names of `tf.contrib.slim.nets.inception_v2`."""

from minitf.compat.slim.inception import inception_v2 as inception_v2
from minitf.compat.slim.inception import inception_v2_arg_scope as inception_v2_arg_scope
from minitf.compat.slim.inception import inception_v2_base as inception_v2_base

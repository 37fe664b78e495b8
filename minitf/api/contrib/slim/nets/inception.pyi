"""The names of `tf.contrib.slim.nets.inception`."""

from minitf.compat.slim.inception import inception_v1 as inception_v1
from minitf.compat.slim.inception import inception_v1_arg_scope as inception_v1_arg_scope
from minitf.compat.slim.inception import inception_v1_base as inception_v1_base
from minitf.compat.slim.inception import inception_v2 as inception_v2
from minitf.compat.slim.inception import inception_v2_arg_scope as inception_v2_arg_scope
from minitf.compat.slim.inception import inception_v2_base as inception_v2_base
from minitf.compat.slim.inception import inception_v3 as inception_v3
from minitf.compat.slim.inception import inception_v3_arg_scope as inception_v3_arg_scope
from minitf.compat.slim.inception import inception_v3_base as inception_v3_base

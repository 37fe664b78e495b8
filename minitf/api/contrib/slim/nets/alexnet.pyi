"""The names of `tf.contrib.slim.nets.alexnet`."""

from minitf.compat.slim.nets import alexnet_v2 as alexnet_v2
from minitf.compat.slim.nets import alexnet_v2_arg_scope as alexnet_v2_arg_scope

"""The names of `tf.contrib.slim.nets.overfeat`."""

from minitf.compat.slim.nets import overfeat as overfeat
from minitf.compat.slim.nets import overfeat_arg_scope as overfeat_arg_scope

"""The names of `tf.contrib.slim.nets.overfeat`."""

from minitf.compat.contrib.slim_nets import overfeat as overfeat
from minitf.compat.contrib.slim_nets import overfeat_arg_scope as overfeat_arg_scope

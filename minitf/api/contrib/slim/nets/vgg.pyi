"""The names of `tf.contrib.slim.nets.vgg`."""

from minitf.compat.contrib.slim_nets import vgg_16 as vgg_16
from minitf.compat.contrib.slim_nets import vgg_19 as vgg_19
from minitf.compat.contrib.slim_nets import vgg_a as vgg_a
from minitf.compat.contrib.slim_nets import vgg_arg_scope as vgg_arg_scope
from minitf.compat.contrib.slim_nets import vgg_d as vgg_d
from minitf.compat.contrib.slim_nets import vgg_e as vgg_e

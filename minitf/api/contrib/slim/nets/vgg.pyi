"""The names of `tf.contrib.slim.nets.vgg`."""

from minitf.compat.slim.nets import vgg_16 as vgg_16
from minitf.compat.slim.nets import vgg_19 as vgg_19
from minitf.compat.slim.nets import vgg_a as vgg_a
from minitf.compat.slim.nets import vgg_arg_scope as vgg_arg_scope
from minitf.compat.slim.nets import vgg_d as vgg_d
from minitf.compat.slim.nets import vgg_e as vgg_e

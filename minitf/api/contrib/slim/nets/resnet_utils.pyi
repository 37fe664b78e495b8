"""The names of `tf.contrib.slim.nets.resnet_utils`."""

from minitf.compat.slim.nets import Block as Block
from minitf.compat.slim.nets import conv2d_same as conv2d_same
from minitf.compat.slim.nets import resnet_arg_scope as resnet_arg_scope
from minitf.compat.slim.nets import stack_blocks_dense as stack_blocks_dense
from minitf.compat.slim.nets import subsample as subsample

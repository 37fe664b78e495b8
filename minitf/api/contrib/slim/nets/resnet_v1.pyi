"""The names of `tf.contrib.slim.nets.resnet_v1`."""

from minitf.api.contrib.slim.nets import resnet_utils as resnet_utils
from minitf.compat.slim.nets import bottleneck_v1 as bottleneck
from minitf.compat.slim.nets import resnet_arg_scope as resnet_arg_scope
from minitf.compat.slim.nets import resnet_v1 as resnet_v1
from minitf.compat.slim.nets import resnet_v1_101 as resnet_v1_101
from minitf.compat.slim.nets import resnet_v1_152 as resnet_v1_152
from minitf.compat.slim.nets import resnet_v1_200 as resnet_v1_200
from minitf.compat.slim.nets import resnet_v1_50 as resnet_v1_50
from minitf.compat.slim.nets import resnet_v1_block as resnet_v1_block

__all__ = [
    "bottleneck", "resnet_arg_scope", "resnet_utils", "resnet_v1", "resnet_v1_101",
    "resnet_v1_152", "resnet_v1_200", "resnet_v1_50", "resnet_v1_block"
]

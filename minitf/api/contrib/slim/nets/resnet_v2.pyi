"""The names of `tf.contrib.slim.nets.resnet_v2`."""

from minitf.api.contrib.slim.nets import resnet_utils as resnet_utils
from minitf.compat.slim.nets import bottleneck_v2 as bottleneck
from minitf.compat.slim.nets import resnet_arg_scope as resnet_arg_scope
from minitf.compat.slim.nets import resnet_v2 as resnet_v2
from minitf.compat.slim.nets import resnet_v2_101 as resnet_v2_101
from minitf.compat.slim.nets import resnet_v2_152 as resnet_v2_152
from minitf.compat.slim.nets import resnet_v2_200 as resnet_v2_200
from minitf.compat.slim.nets import resnet_v2_50 as resnet_v2_50
from minitf.compat.slim.nets import resnet_v2_block as resnet_v2_block

__all__ = [
    "bottleneck", "resnet_arg_scope", "resnet_utils", "resnet_v2", "resnet_v2_101",
    "resnet_v2_152", "resnet_v2_200", "resnet_v2_50", "resnet_v2_block"
]

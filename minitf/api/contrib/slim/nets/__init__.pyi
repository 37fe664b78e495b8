"""The names of `tf.contrib.slim.nets`."""

from minitf.api.contrib.slim.nets import alexnet as alexnet
from minitf.api.contrib.slim.nets import inception as inception
from minitf.api.contrib.slim.nets import inception_v1 as inception_v1
from minitf.api.contrib.slim.nets import inception_v2 as inception_v2
from minitf.api.contrib.slim.nets import inception_v3 as inception_v3
from minitf.api.contrib.slim.nets import overfeat as overfeat
from minitf.api.contrib.slim.nets import resnet_utils as resnet_utils
from minitf.api.contrib.slim.nets import resnet_v1 as resnet_v1
from minitf.api.contrib.slim.nets import resnet_v2 as resnet_v2
from minitf.api.contrib.slim.nets import vgg as vgg

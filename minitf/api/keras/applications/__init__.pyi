"""The names of `tf.keras.applications`."""

from minitf.api.keras.applications import densenet as densenet
from minitf.api.keras.applications import imagenet_utils as imagenet_utils
from minitf.api.keras.applications import inception_resnet_v2 as inception_resnet_v2
from minitf.api.keras.applications import inception_v3 as inception_v3
from minitf.api.keras.applications import mobilenet as mobilenet
from minitf.api.keras.applications import mobilenet_v2 as mobilenet_v2
from minitf.api.keras.applications import nasnet as nasnet
from minitf.api.keras.applications import resnet as resnet
from minitf.api.keras.applications import resnet50 as resnet50
from minitf.api.keras.applications import resnet_v2 as resnet_v2
from minitf.api.keras.applications import vgg16 as vgg16
from minitf.api.keras.applications import xception as xception
from minitf.library.keras.applications.mobilenet import MobileNetV2 as MobileNetV2
from minitf.library.keras.applications.resnet import ResNet101 as ResNet101
from minitf.library.keras.applications.resnet import ResNet50 as ResNet50
from minitf.library.keras.applications.vgg import VGG16 as VGG16
from minitf.library.keras.applications.vgg import VGG19 as VGG19

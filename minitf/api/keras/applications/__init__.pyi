"""The names of `tf.keras.applications`."""

from minitf.api.keras.applications import mobilenet_v2 as mobilenet_v2
from minitf.api.keras.applications import resnet as resnet
from minitf.api.keras.applications import resnet50 as resnet50
from minitf.api.keras.applications import vgg16 as vgg16
from minitf.library.keras.applications import MobileNetV2 as MobileNetV2
from minitf.library.keras.applications import ResNet50 as ResNet50
from minitf.library.keras.applications import VGG16 as VGG16

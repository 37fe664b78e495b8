"""The names of `tf.keras.applications.mobilenet_v2`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.mobilenet import MobileNetV2 as MobileNetV2

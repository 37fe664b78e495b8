"""The names of `tf.keras.applications.mobilenet_v2`."""

from minitf.library.keras.applications import MobileNetV2 as MobileNetV2
from minitf.library.keras.applications import decode_predictions as decode_predictions

"""The names of `tf.keras.applications.vgg16`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_caffe as preprocess_input
from minitf.library.keras.applications.vgg import VGG16 as VGG16

__all__ = [
    "VGG16", "decode_predictions", "preprocess_input"
]

"""The names of `tf.keras.applications.vgg19`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_caffe as preprocess_input
from minitf.library.keras.applications.vgg import VGG19 as VGG19

__all__ = [
    "VGG19", "decode_predictions", "preprocess_input"
]

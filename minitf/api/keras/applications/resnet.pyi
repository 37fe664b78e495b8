"""The names of `tf.keras.applications.resnet`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_caffe as preprocess_input
from minitf.library.keras.applications.resnet import ResNet101 as ResNet101
from minitf.library.keras.applications.resnet import ResNet50 as ResNet50

__all__ = [
    "ResNet101", "ResNet50", "decode_predictions", "preprocess_input"
]

"""The names of `tf.keras.applications.resnet_v2`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_tf as preprocess_input
from minitf.library.keras.applications.resnet import ResNet101V2 as ResNet101V2
from minitf.library.keras.applications.resnet import ResNet152V2 as ResNet152V2
from minitf.library.keras.applications.resnet import ResNet50V2 as ResNet50V2

__all__ = [
    "ResNet101V2", "ResNet152V2", "ResNet50V2", "decode_predictions", "preprocess_input"
]

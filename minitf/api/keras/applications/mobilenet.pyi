"""The names of `tf.keras.applications.mobilenet`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_tf as preprocess_input
from minitf.library.keras.applications.mobilenet import MobileNet as MobileNet

__all__ = [
    "MobileNet", "decode_predictions", "preprocess_input"
]

"""The names of `tf.keras.applications.nasnet`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_tf as preprocess_input
from minitf.library.keras.applications.nasnet import NASNetLarge as NASNetLarge
from minitf.library.keras.applications.nasnet import NASNetMobile as NASNetMobile

__all__ = [
    "NASNetLarge", "NASNetMobile", "decode_predictions", "preprocess_input"
]

"""The names of `tf.keras.applications.xception`."""

from minitf.library.keras.applications.densenet import Xception as Xception
from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_tf as preprocess_input

__all__ = [
    "Xception", "decode_predictions", "preprocess_input"
]

"""The names of `tf.keras.applications.inception_v3`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_tf as preprocess_input
from minitf.library.keras.applications.inception import InceptionV3 as InceptionV3

__all__ = [
    "InceptionV3", "decode_predictions", "preprocess_input"
]

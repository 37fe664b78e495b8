"""The names of `tf.keras.applications.inception_resnet_v2`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_tf as preprocess_input
from minitf.library.keras.applications.inception import InceptionResNetV2 as InceptionResNetV2

__all__ = [
    "InceptionResNetV2", "decode_predictions", "preprocess_input"
]

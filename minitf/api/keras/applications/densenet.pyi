"""The names of `tf.keras.applications.densenet`."""

from minitf.library.keras.applications.densenet import DenseNet121 as DenseNet121
from minitf.library.keras.applications.densenet import DenseNet169 as DenseNet169
from minitf.library.keras.applications.densenet import DenseNet201 as DenseNet201
from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_torch as preprocess_input

__all__ = [
    "DenseNet121", "DenseNet169", "DenseNet201", "decode_predictions", "preprocess_input"
]

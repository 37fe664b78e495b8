"""The names of `tf.keras.applications.imagenet_utils`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions
from minitf.library.keras.applications.imagenet import preprocess_input as preprocess_input

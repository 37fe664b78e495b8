"""The names of `tf.keras.applications.vgg19`."""

from minitf.library.keras.applications import VGG19 as VGG19
from minitf.library.keras.applications import decode_predictions as decode_predictions
from minitf.library.keras.applications import preprocess_input as preprocess_input

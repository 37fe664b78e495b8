"""The names of `tf.keras.applications.vgg16`."""

from minitf.library.keras.applications import VGG16 as VGG16
from minitf.library.keras.applications import decode_predictions as decode_predictions
from minitf.library.keras.applications import preprocess_input as preprocess_input

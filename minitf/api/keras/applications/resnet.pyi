"""The names of `tf.keras.applications.resnet`."""

from minitf.library.keras.applications import ResNet50 as ResNet50
from minitf.library.keras.applications import decode_predictions as decode_predictions
from minitf.library.keras.applications import preprocess_input as preprocess_input

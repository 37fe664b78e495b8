"""The names of `tf.keras.applications.mobilenet`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions

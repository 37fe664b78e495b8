"""The names of `tf.keras.applications.xception`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions

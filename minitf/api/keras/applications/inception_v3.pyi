"""The names of `tf.keras.applications.inception_v3`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions

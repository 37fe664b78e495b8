"""The names of `tf.keras.applications.inception_resnet_v2`."""

from minitf.library.keras.applications.imagenet import decode_predictions as decode_predictions

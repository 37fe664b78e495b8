"""The names of `tf.keras.utils`."""

from minitf.library.datasets.download import get_file as get_file

"""The names of `tf.keras.datasets.reuters`."""

from minitf.library.datasets.load_data import reuters_label_names as get_label_names
from minitf.library.datasets.load_data import load_reuters as load_data

__all__ = [
    "get_label_names", "load_data"
]

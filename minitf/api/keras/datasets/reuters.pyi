"""The names of `tf.keras.datasets.reuters`."""

from minitf.library.datasets.load_data import reuters_label_names as get_label_names
from minitf.library.datasets.load_data import reuters_word_index as get_word_index
from minitf.library.datasets.load_data import load_reuters as load_data

__all__ = [
    "get_label_names", "get_word_index", "load_data"
]

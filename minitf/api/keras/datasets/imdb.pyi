"""The names of `tf.keras.datasets.imdb`."""

from minitf.library.datasets.load_data import imdb_word_index as get_word_index
from minitf.library.datasets.load_data import load_imdb as load_data

__all__ = [
    "get_word_index", "load_data"
]

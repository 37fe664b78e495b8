"""The names of `tf.keras.preprocessing.text`."""

from minitf.library.keras.preprocessing.sequences import Tokenizer as Tokenizer
from minitf.library.keras.preprocessing.sequences import text_to_word_sequence as text_to_word_sequence

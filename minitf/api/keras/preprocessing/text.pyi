"""The names of `tf.keras.preprocessing.text`."""

from minitf.library.keras.preprocessing.text import Tokenizer as Tokenizer
from minitf.library.keras.preprocessing.text import hashing_trick as hashing_trick
from minitf.library.keras.preprocessing.text import one_hot as one_hot
from minitf.library.keras.preprocessing.text import text_to_word_sequence as text_to_word_sequence
from minitf.library.keras.preprocessing.text import tokenizer_from_json as tokenizer_from_json

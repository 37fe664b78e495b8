"""The names of `tf.contrib.lookup`."""

from minitf.compat.contrib.learn_data import index_table_from_tensor as index_table_from_tensor
from minitf.compat.contrib.learn_data import index_to_string as index_to_string
from minitf.compat.contrib.learn_data import index_to_string_table_from_tensor as index_to_string_table_from_tensor
from minitf.compat.contrib.learn_data import string_to_index_table_from_tensor as string_to_index_table_from_tensor
from minitf.library.text.lookup import HashTable as HashTable
from minitf.library.text.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from minitf.library.text.lookup import MutableHashTable as MutableHashTable
from minitf.library.text.lookup import TextFileInitializer as TextFileInitializer
from minitf.library.text.lookup import index_table_from_file as index_table_from_file
from minitf.library.text.lookup import index_to_string_table_from_file as index_to_string_table_from_file
from minitf.library.text.lookup import index_table_from_file as string_to_index_table_from_file

__all__ = [
    "HashTable", "KeyValueTensorInitializer", "MutableHashTable", "TextFileInitializer",
    "index_table_from_file", "index_table_from_tensor", "index_to_string",
    "index_to_string_table_from_file", "index_to_string_table_from_tensor",
    "string_to_index_table_from_file", "string_to_index_table_from_tensor"
]

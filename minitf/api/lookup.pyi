"""The names of `tf.lookup`."""

from minitf.library.text.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from minitf.library.text.lookup import StaticHashTable as StaticHashTable
from minitf.library.text.lookup import TextFileInitializer as TextFileInitializer

"""The names of `tf.lookup`."""

from minitf.library.text.lookup.tables import KeyValueTensorInitializer as KeyValueTensorInitializer
from minitf.library.text.lookup.tables import StaticHashTable as StaticHashTable
from minitf.library.text.lookup.tables import TextFileInitializer as TextFileInitializer

"""The names of `tf.lookup`."""

from minitf.api import lookup_experimental as experimental
from minitf.library.text.lookup.tables import KeyValueTensorInitializer as KeyValueTensorInitializer
from minitf.library.text.lookup.tables import StaticHashTable as StaticHashTable
from minitf.library.text.lookup.tables import StaticVocabularyTable as StaticVocabularyTable
from minitf.library.text.lookup.tables import TextFileIndex as TextFileIndex
from minitf.library.text.lookup.tables import TextFileInitializer as TextFileInitializer

__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex",
    "TextFileInitializer", "experimental"
]

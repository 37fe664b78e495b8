"""The names of `tf.contrib.lookup`."""

from minitf.library.text.lookup.tables import HashTable as HashTable
from minitf.library.text.lookup.tables import IdTableWithHashBuckets as IdTableWithHashBuckets
from minitf.library.text.lookup.tables import KeyValueTensorInitializer as KeyValueTensorInitializer
from minitf.library.text.lookup.tables import LookupInterface as LookupInterface
from minitf.library.text.lookup.tables import DenseHashTable as MutableDenseHashTable
from minitf.library.text.lookup.tables import MutableHashTable as MutableHashTable
from minitf.library.text.lookup.tables import TextFileIdTableInitializer as TextFileIdTableInitializer
from minitf.library.text.lookup.tables import TextFileIndex as TextFileIndex
from minitf.library.text.lookup.tables import TextFileInitializer as TextFileInitializer
from minitf.library.text.lookup.tables import TextFileStringTableInitializer as TextFileStringTableInitializer
from minitf.library.text.lookup.tables import index_table_from_file as index_table_from_file
from minitf.library.text.lookup.tables import index_table_from_tensor as index_table_from_tensor
from minitf.library.text.lookup.tables import index_to_string_table_from_file as index_to_string_table_from_file
from minitf.library.text.lookup.tables import index_to_string_table_from_tensor as index_to_string_table_from_tensor

__all__ = [
    "HashTable", "IdTableWithHashBuckets", "KeyValueTensorInitializer", "LookupInterface",
    "MutableDenseHashTable", "MutableHashTable", "TextFileIdTableInitializer", "TextFileIndex",
    "TextFileInitializer", "TextFileStringTableInitializer", "index_table_from_file",
    "index_table_from_tensor", "index_to_string_table_from_file",
    "index_to_string_table_from_tensor"
]

"""The namespace `tf.contrib.lookup`: names only."""

from minitf.ops.lookup import (
    HashTable,
    IdTableWithHashBuckets,
    KeyValueTensorInitializer,
    MutableHashTable,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileInitializer,
    TextFileStringTableInitializer,
    index_table_from_file,
    index_table_from_tensor,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

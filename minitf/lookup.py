"""The namespace `tf.lookup`: names only."""

from minitf import lookup_experimental as experimental
from minitf.ops.lookup import (
    KeyValueTensorInitializer,
    StaticHashTable,
    StaticVocabularyTable,
    TextFileIndex,
    TextFileInitializer,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

"""The namespace `tf.lookup`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf: experimental=lookup_experimental
minitf.ops.lookup: KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex
    TextFileInitializer
""",
)

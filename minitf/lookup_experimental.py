"""The namespace `tf.lookup.experimental`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.lookup: MutableHashTable
""",
)

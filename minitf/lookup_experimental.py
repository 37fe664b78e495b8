"""The namespace `tf.lookup.experimental`: names only."""

from minitf.ops.lookup import MutableHashTable

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

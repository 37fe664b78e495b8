"""The names of `tf.lookup_experimental`."""

from minitf.library.text.lookup.tables import MutableHashTable as MutableHashTable

"""The names of `tf.lookup.experimental`."""

from minitf.library.text.lookup.tables import DenseHashTable as DenseHashTable

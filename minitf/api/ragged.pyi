"""The names of `tf.ragged`."""

from minitf.library.sparse.ragged import RaggedTensorValue as RaggedTensorValue
from minitf.library.sparse.ragged import ragged_constant as constant
from minitf.library.sparse.ragged import map_flat_values as map_flat_values

__all__ = [
    "RaggedTensorValue", "constant", "map_flat_values"
]

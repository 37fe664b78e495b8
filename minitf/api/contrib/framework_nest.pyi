"""The names of `tf.contrib.framework.nest`."""

from minitf.core.graph.nest import assert_same_structure as assert_same_structure
from minitf.core.graph.nest import flatten as flatten
from minitf.core.graph.nest import flatten_dict_items as flatten_dict_items
from minitf.core.graph.nest import is_nested as is_nested
from minitf.core.graph.nest import is_nested as is_sequence
from minitf.core.graph.nest import map_structure as map_structure
from minitf.core.graph.nest import pack_sequence_as as pack_sequence_as

__all__ = [
    "assert_same_structure", "flatten", "flatten_dict_items", "is_nested", "is_sequence",
    "map_structure", "pack_sequence_as"
]

"""The names of `tf.contrib.framework.nest`."""

from minitf.compat.contrib.nest import assert_shallow_structure as assert_shallow_structure
from minitf.compat.contrib.nest import flatten_up_to as flatten_up_to
from minitf.compat.contrib.nest import flatten_with_joined_string_paths as flatten_with_joined_string_paths
from minitf.compat.contrib.nest import flatten_with_tuple_paths as flatten_with_tuple_paths
from minitf.compat.contrib.nest import flatten_with_tuple_paths_up_to as flatten_with_tuple_paths_up_to
from minitf.compat.contrib.nest import get_traverse_shallow_structure as get_traverse_shallow_structure
from minitf.compat.contrib.nest import map_structure_up_to as map_structure_up_to
from minitf.compat.contrib.nest import map_structure_with_paths as map_structure_with_paths
from minitf.compat.contrib.nest import map_structure_with_tuple_paths as map_structure_with_tuple_paths
from minitf.compat.contrib.nest import map_structure_with_tuple_paths_up_to as map_structure_with_tuple_paths_up_to
from minitf.compat.contrib.nest import yield_flat_paths as yield_flat_paths
from minitf.core.graph.nest import assert_same_structure as assert_same_structure
from minitf.core.graph.nest import flatten as flatten
from minitf.core.graph.nest import flatten_dict_items as flatten_dict_items
from minitf.core.graph.nest import is_nested as is_nested
from minitf.core.graph.nest import is_nested as is_sequence
from minitf.core.graph.nest import map_structure as map_structure
from minitf.core.graph.nest import pack_sequence_as as pack_sequence_as

__all__ = [
    "assert_same_structure", "assert_shallow_structure", "flatten", "flatten_dict_items",
    "flatten_up_to", "flatten_with_joined_string_paths", "flatten_with_tuple_paths",
    "flatten_with_tuple_paths_up_to", "get_traverse_shallow_structure", "is_nested",
    "is_sequence", "map_structure", "map_structure_up_to", "map_structure_with_paths",
    "map_structure_with_tuple_paths", "map_structure_with_tuple_paths_up_to",
    "pack_sequence_as", "yield_flat_paths"
]

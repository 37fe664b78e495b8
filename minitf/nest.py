"""The namespace `tf.nest`: names only."""

from minitf.framework.nest import assert_same_structure, flatten, map_structure, pack_sequence_as
from minitf.framework.nest import is_nested as is_nested

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]

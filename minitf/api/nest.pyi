"""The names of `tf.nest`."""

from minitf.core.graph.nest import assert_same_structure as assert_same_structure
from minitf.core.graph.nest import flatten as flatten
from minitf.core.graph.nest import map_structure as map_structure
from minitf.core.graph.nest import pack_sequence_as as pack_sequence_as

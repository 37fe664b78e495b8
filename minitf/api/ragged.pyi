"""The names of `tf.ragged`."""

from minitf.library.sparse.ragged import RaggedTensorValue as RaggedTensorValue
from minitf.library.sparse.ragged_functions import ragged_boolean_mask as boolean_mask
from minitf.library.sparse.ragged_functions import ragged_constant as constant
from minitf.library.sparse.ragged_functions import ragged_constant_value as constant_value
from minitf.library.sparse.ragged_functions import map_flat_values as map_flat_values
from minitf.library.sparse.ragged_functions import ragged_placeholder as placeholder
from minitf.library.sparse.ragged_functions import ragged_range as range
from minitf.library.sparse.ragged_functions import row_splits_to_segment_ids as row_splits_to_segment_ids
from minitf.library.sparse.ragged_functions import segment_ids_to_row_splits as segment_ids_to_row_splits
from minitf.library.sparse.ragged_functions import ragged_stack as stack
from minitf.library.sparse.ragged_functions import stack_dynamic_partitions as stack_dynamic_partitions

__all__ = [
    "RaggedTensorValue", "boolean_mask", "constant", "constant_value", "map_flat_values",
    "placeholder", "range", "row_splits_to_segment_ids", "segment_ids_to_row_splits", "stack",
    "stack_dynamic_partitions"
]

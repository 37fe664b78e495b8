"""The namespace `tf.ragged`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.ragged: RaggedTensorValue
minitf.ops.ragged_functions: constant=ragged_constant map_flat_values range=ragged_range
    row_splits_to_segment_ids segment_ids_to_row_splits
""",
)

"""The namespace `tf.ragged`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.ragged: RaggedTensorValue
minitf.ops.ragged_functions: constant=ragged_constant constant_value=ragged_constant_value
    map_flat_values placeholder=ragged_placeholder range=ragged_range
    row_splits_to_segment_ids segment_ids_to_row_splits
""",
)

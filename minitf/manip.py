"""The namespace `tf.manip`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.array_gathering: gather_nd
minitf.ops.array_rearranging: batch_to_space_nd roll space_to_batch_nd
minitf.ops.array_shaping: reshape reverse tile
minitf.ops.scatter: scatter_nd
""",
)

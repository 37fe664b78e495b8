"""The namespace `tf.nest`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.framework.nest: assert_same_structure flatten is_nested map_structure pack_sequence_as
""",
)

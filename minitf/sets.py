"""The namespace `tf.sets`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.sets: difference=set_difference intersection=set_intersection set_difference
    set_intersection set_size set_union size=set_size union=set_union
""",
)

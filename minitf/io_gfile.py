"""The namespace `tf.io.gfile`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.framework.file_io: GFile copy exists glob isdir join listdir makedirs mkdir remove rename
    rmtree stat walk
""",
)

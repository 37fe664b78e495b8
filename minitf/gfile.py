"""The namespace `tf.gfile`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.framework.file_io: Copy DeleteRecursively Exists FastGFile GFile Glob IsDirectory
    ListDirectory MakeDirs MkDir Open=GFile Remove Rename Stat Walk
""",
)

"""The namespace `tf.gfile`: names only."""

from minitf.framework.file_io import (
    Copy,
    DeleteRecursively,
    Exists,
    FastGFile,
    GFile,
    Glob,
    IsDirectory,
    ListDirectory,
    MakeDirs,
    MkDir,
    Remove,
    Rename,
    Stat,
    Walk,
)

Open = GFile

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

"""The namespace `tf.io.gfile`: names only."""

from minitf.framework.file_io import (
    GFile,
    copy,
    exists,
    glob,
    isdir,
    join,
    listdir,
    makedirs,
    mkdir,
    remove,
    rename,
    rmtree,
    stat,
    walk,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

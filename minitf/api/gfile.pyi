"""The names of `tf.gfile`."""

from minitf.library.formats.file_io import copy as Copy
from minitf.library.formats.file_io import rmtree as DeleteRecursively
from minitf.library.formats.file_io import exists as Exists
from minitf.library.formats.file_io import FastGFile as FastGFile
from minitf.library.formats.file_io import GFile as GFile
from minitf.library.formats.file_io import glob as Glob
from minitf.library.formats.file_io import makedirs as MakeDirs
from minitf.library.formats.file_io import GFile as Open
from minitf.library.formats.file_io import remove as Remove
from minitf.library.formats.file_io import rename as Rename
from minitf.library.formats.file_io import walk as Walk

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "MakeDirs", "Open",
    "Remove", "Rename", "Walk"
]

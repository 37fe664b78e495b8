"""The names of `tf.gfile`."""

from minitf.library.formats.file_io import Copy as Copy
from minitf.library.formats.file_io import DeleteRecursively as DeleteRecursively
from minitf.library.formats.file_io import Exists as Exists
from minitf.library.formats.file_io import FastGFile as FastGFile
from minitf.library.formats.file_io import GFile as GFile
from minitf.library.formats.file_io import Glob as Glob
from minitf.library.formats.file_io import MakeDirs as MakeDirs
from minitf.library.formats.file_io import GFile as Open
from minitf.library.formats.file_io import Remove as Remove
from minitf.library.formats.file_io import Rename as Rename
from minitf.library.formats.file_io import Walk as Walk

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "MakeDirs", "Open",
    "Remove", "Rename", "Walk"
]

"""`tensorflow.python.lib.io.file_io`: files by functions, as before `tf.io`."""

from __future__ import annotations

from minitf.library.formats.file_io import GFile as FileIO
from minitf.library.formats.file_io import Walk as walk
from minitf.library.formats.file_io import copy as copy
from minitf.library.formats.file_io import exists as file_exists
from minitf.library.formats.file_io import glob as get_matching_files
from minitf.library.formats.file_io import isdir as is_directory
from minitf.library.formats.file_io import listdir as list_directory
from minitf.library.formats.file_io import makedirs as recursive_create_dir
from minitf.library.formats.file_io import mkdir as create_dir
from minitf.library.formats.file_io import remove as delete_file
from minitf.library.formats.file_io import rename as rename
from minitf.library.formats.file_io import rmtree as delete_recursively
from minitf.library.formats.file_io import stat as stat

__all__ = [
    "FileIO",
    "copy",
    "create_dir",
    "delete_file",
    "delete_recursively",
    "file_exists",
    "get_matching_files",
    "is_directory",
    "list_directory",
    "recursive_create_dir",
    "rename",
    "stat",
    "walk",
]

"""`tensorflow.python.lib.io.file_io`: files by functions, as before `tf.io`."""

from __future__ import annotations

import os
from typing import Any

from minitf.library.formats.crc32c import crc32c
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
from minitf.library.formats.file_io import written_aside

__all__ = [
    "FileIO", "atomic_write_string_to_file", "copy", "create_dir", "delete_file",
    "delete_recursively", "file_crc32", "file_exists", "filecmp", "get_matching_files",
    "is_directory", "list_directory", "read_file_to_string", "recursive_create_dir", "rename",
    "stat", "walk", "write_string_to_file",
]  # fmt: skip


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """The content of a file, as text or as bytes."""
    with FileIO(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: str | bytes) -> None:
    """Makes a file of some text."""
    with FileIO(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(
    filename: Any, contents: str | bytes, overwrite: bool = True
) -> None:
    """Makes a file of some text; nobody sees a part of it."""
    if not overwrite and file_exists(filename):
        copy(filename, filename)  # which says that the file is there
    with written_aside(os.fsdecode(filename)) as file:
        file.write(contents.encode() if isinstance(contents, str) else contents)


def filecmp(filename_a: Any, filename_b: Any) -> bool:
    """Whether two files have the same content."""
    return bool(read_file_to_string(filename_a, True) == read_file_to_string(filename_b, True))


def file_crc32(filename: Any, block_size: int = 0) -> str:
    """The checksum of a file, CRC-32C, as hexadecimal digits."""
    return hex(crc32c(read_file_to_string(filename, True)))

"""The functions of `tensorflow.python.lib.io.file_io` that `tf.gfile` has under no other name."""

from __future__ import annotations

from typing import Any

from minitf.library.formats import file_io
from minitf.library.formats.crc32c import crc32c


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """All that a file holds: text, or bytes in `binary_mode`."""
    with file_io.GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Makes a file that holds a text."""
    with file_io.GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: Any, contents: Any, overwrite: bool = True) -> None:
    """Makes a file that nobody sees half written."""
    write_string_to_file(f"{filename}.tmp", contents)
    file_io.rename(f"{filename}.tmp", filename, overwrite)


def filecmp(filename_a: Any, filename_b: Any) -> bool:
    """Whether two files hold the same."""
    return read_file_to_string(filename_a, True) == read_file_to_string(filename_b, True)


def file_crc32(filename: Any, block_size: int = 2**24) -> str:
    """A checksum of what a file holds, in hexadecimal digits."""
    return hex(crc32c(read_file_to_string(filename, True)))

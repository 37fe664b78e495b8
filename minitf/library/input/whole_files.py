"""Files as operations: reading, writing, and finding them by a pattern, when a step runs."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.string_values import as_objects
from minitf.library.formats import file_io


def _program(folder: str) -> list:
    """A file is written, read, and found."""
    path = os.path.join(folder, "a", "b.txt")
    return [
        (write_file_op(path, "text"), None),
        (read_file_op(path), b"text"),
        (matching_files_op(os.path.join(folder, "a", "*.txt")), as_objects([path.encode()])),
    ]


_file_op = partial(op, stateful=True, differentiable=False, reaches="files", program=_program)

# ---- ReadFile, WriteFile -----------------------------------------------------------------


@_file_op("ReadFile", "filename: string -> contents: string")
def read_file_op(xp: Any, filename: Any) -> Any:
    """Reads a whole file."""
    return file_io.read_bytes(filename)


@read_file_op.shape
def _read_file_shape(filename: Any) -> Any:
    filename.shape.with_rank(0)
    return TensorShape(())


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """The content of a file, as a string.

    Args:
      filename: its name, a string.
      name: the operation's name.
    Raises:
      NotFoundError: when it runs and there is no such file.
    Example:
      >>> with tf.gfile.GFile("/tmp/note.txt", "w") as file:
      ...     file.write("hello")
      >>> sess.run(tf.read_file("/tmp/note.txt"))
      b'hello'
    """
    return read_file_op(filename, name=name)


@_file_op("WriteFile", "filename: string, contents: string ->")
def write_file_op(xp: Any, filename: Any, contents: Any) -> None:
    """Writes a whole file, and makes the folder for it."""
    folder = os.path.dirname(os.fsdecode(filename))
    if folder:
        file_io.makedirs(folder)
    with file_io.open_file(filename, "wb") as file:
        file.write(contents)


def write_file(filename: Any, contents: Any, name: str | None = None) -> Operation:
    """An operation that writes a string to a file, in folders made for it."""
    return write_file_op(filename, contents, name=name)


# ---- MatchingFiles -----------------------------------------------------------------------


@_file_op("MatchingFiles", "pattern: string -> filenames: string")
def matching_files_op(xp: Any, pattern: Any) -> Any:
    """Finds the files that match a pattern, or one of several."""
    patterns = [pattern] if isinstance(pattern, bytes) else list(pattern)
    return as_objects(sorted(name.encode() for name in file_io.glob(patterns)))


@matching_files_op.shape
def _matching_files_shape(pattern: Any) -> Any:
    pattern.shape.with_rank_at_most(1)
    return TensorShape([None])


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that match, a sorted vector of strings.

    Args:
      pattern: a pattern with `*`, `?` and `[a-z]`, or a vector of them.
      name: the name.
    """
    return matching_files_op(pattern, name=name)

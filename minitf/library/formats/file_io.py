"""Files and folders, as `tf.gfile` and `tf.io.gfile` name them, with TensorFlow's errors.

    tf.gfile.GFile("f")        tf.io.gfile.GFile("f")       an open file, text or bytes
    tf.gfile.MakeDirs("d")     tf.io.gfile.makedirs("d")    ... and the like for folders

An operating system's error becomes the `OpError` of the same meaning: "f; No such file or
directory" is a `NotFoundError`, so that a program written for any file system can tell it.
"""

from __future__ import annotations

import errno
import glob as _glob
import os
import re
import shutil
import stat as _stat
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

from minitf.core.graph import errors

_CODES = {
    errno.ENOENT: errors.NOT_FOUND,
    errno.ENOTDIR: errors.FAILED_PRECONDITION,
    errno.EINVAL: errors.INVALID_ARGUMENT,
    errno.EISDIR: errors.FAILED_PRECONDITION,
    errno.ENOTEMPTY: errors.FAILED_PRECONDITION,
    errno.EEXIST: errors.ALREADY_EXISTS,
    errno.EACCES: errors.PERMISSION_DENIED,
    errno.EPERM: errors.PERMISSION_DENIED,
    errno.EROFS: errors.PERMISSION_DENIED,
    errno.ENOSPC: errors.RESOURCE_EXHAUSTED,
    errno.EMFILE: errors.RESOURCE_EXHAUSTED,
}
_MODES = ("r", "w", "a", "r+", "w+", "a+")


def invalid(text: str) -> errors.OpError:
    """The error of an argument that cannot be."""
    return errors.InvalidArgumentError(None, None, text)


def not_found(text: str) -> errors.OpError:
    """The error of a file that is not there, or of something in it."""
    return errors.NotFoundError(None, None, text)


def torn(text: str) -> errors.OpError:
    """The error of a file that is not what it should be."""
    return errors.DataLossError(None, None, text)


def _path(path: Any) -> str:
    return os.fsdecode(os.fsdecode(path))


@contextmanager
def file_errors(path: Any) -> Iterator[None]:
    """A context in which an OSError becomes an OpError, "<path>; <what the system says>"."""
    try:
        yield
    except OSError as error:
        code = _CODES.get(error.errno or 0, errors.UNKNOWN)
        text = f"{_path(path)}; {error.strerror or error}"
        raise errors.make_error(code, text) from None


_full: dict[str, int] = {}  # how many bytes a directory still takes, by its path


def set_free_space(directory: Any, nbytes: int | None) -> None:
    """Makes the disk of a directory seem full to this process, to try what a program does then.

    Args:
      directory: it and all below it; links are followed.
      nbytes: how much can be written there from now on; None for all that the disk holds.
    """
    place = os.path.join(os.path.realpath(_path(directory)), "")
    _full.pop(place, None)
    if nbytes is not None:
        _full[place] = nbytes


class _OnFullDisk:
    """A file that is being written where `set_free_space` holds."""

    def __init__(self, file: IO[Any], place: str):
        self._file, self._place = file, place

    def write(self, data: Any) -> int:
        """Writes all, or nothing when it does not fit."""
        size = len(data.encode()) if isinstance(data, str) else memoryview(data).nbytes
        left = _full.get(self._place, size) - size
        if left < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._place in _full:
            _full[self._place] = left
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _OnFullDisk:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._file.close()


def regular(path: str, flags: int) -> int:
    """The `opener` of files to read: a pipe would wait for a writer, and a device may have no end.

    TensorFlow reads neither.

    Raises:
      OSError: when it is no regular file, and no folder.
    """
    found = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not (_stat.S_ISREG(mode := os.fstat(found).st_mode) or _stat.S_ISDIR(mode)):
        os.close(found)
        raise OSError(errno.EINVAL, "Not a regular file", path)
    return found


def _open(path: str, mode: str) -> IO[Any]:
    """Python's `open`."""
    file: Any = open(path, mode, opener=regular if mode[0] == "r" else None)
    if _full and mode[0] != "r":
        whole = os.path.realpath(path)
        for place in _full:
            if whole.startswith(place):
                return _OnFullDisk(file, place)  # type: ignore[return-value]
    return file


def open_file(path: Any, mode: str) -> IO[Any]:
    """Python's `open` with TensorFlow's errors."""
    with file_errors(path):
        return _open(_path(path), mode)


def read_bytes(path: Any) -> bytes:
    """The whole content of a file."""
    with file_errors(path), _open(_path(path), "rb") as file:
        return file.read()


#: What reading may meet in a file that holds nonsense: an index or a key that is not there, a value
#: of another kind, objects that hold each other, sizes beyond the memory, what HDF5 cannot read.
NONSENSE: tuple[type[Exception], ...] = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    StopIteration,
    TypeError,
)


@contextmanager
def naming(path: str, nonsense: tuple[type[Exception], ...] = NONSENSE) -> Iterator[None]:
    """What goes wrong within, because a file holds nonsense, is an error that names the file.

    Raises:
      ValueError: for each of `nonsense`, and for a ValueError that does not name the file.
      OSError: for one that names no file.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        if path in str(error) or getattr(error, "filename", None):
            raise
        kind = OSError if isinstance(error, OSError) else ValueError
        raise kind(f"{path}: {error}") from error
    except nonsense as error:
        raise ValueError(f"{path} is torn: {type(error).__name__}: {error}") from error


@contextmanager
def written_aside(path: str, size: int = 0) -> Iterator[IO[bytes]]:
    """A file that gets its name when it is whole, and is gone when it does not become whole.

    Args:
      path: the name.
      size: how many bytes there will be, as far as it is known.
    """
    aside = f"{path}.tempstate{uuid.uuid4().hex[:16]}"
    try:
        with _open(aside, "wb") as file:
            if size and os.path.exists(path) and hasattr(os, "posix_fallocate"):
                # Some file systems flush a file that replaces another before it has its place on
                # the disk, and the program would wait for that. Others know no such request.
                with suppress(OSError):
                    os.posix_fallocate(file.fileno(), 0, size)
            yield file
        os.replace(aside, path)
    except BaseException:
        if os.path.exists(aside):
            os.remove(aside)
        raise


def write_whole(path: str, data: bytes) -> None:
    """Writes a file that is there as a whole or not at all."""
    with written_aside(path, len(data)) as file:
        file.write(data)


class GFile:
    """A file that is opened when it is first read or written.

    Args:
      name: its path.
      mode: "r", "w", "a", "r+", "w+" or "a+"; with "b", `read` gives bytes and not text.
    Raises:
      InvalidArgumentError: when there is no such mode.
    Example:
      >>> with tf.gfile.GFile("/tmp/notes.txt", "w") as file:
      ...     file.write("one line\\n")
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise invalid("mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        self._reads = plain[0] == "r" or "+" in plain
        self._writes = plain[0] in "wa" or "+" in plain
        self._file: IO[bytes] | None = None

    @property
    def name(self) -> Any:
        """The path."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode it was opened in."""
        return self._mode

    def _opened(self, reads: bool = False, writes: bool = False) -> IO[bytes]:
        if reads and not self._reads:
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        if writes and not self._writes:
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if self._file is None:
            mode = self._mode.replace("b", "")
            if writes and mode == "r+" and not exists(self._name):
                mode = "w+"  # writing makes the file
            self._file = open_file(self._name, mode + "b")
        return self._file

    def _given(self, data: bytes) -> Any:
        return data if self._binary else data.decode("utf-8")

    def size(self) -> int:
        """The size in bytes."""
        return stat(self._name).length

    def write(self, file_content: str | bytes) -> None:
        """Appends text or bytes."""
        data = file_content.encode() if isinstance(file_content, str) else bytes(file_content)
        self._opened(writes=True).write(data)

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that are left."""
        return self._given(self._opened(reads=True).read(n))

    def readline(self) -> Any:
        """The next line with its newline; empty at the end."""
        return self._given(self._opened(reads=True).readline())

    def readlines(self) -> list[Any]:
        """The lines that are left."""
        return list(self)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves to a byte; `position` is the first releases' name of `offset`.

        Raises:
          TypeError: when neither is given.
          InvalidArgumentError: when `whence` is not 0, 1 or 2.
        """
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise invalid(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        with file_errors(self._name):
            self._opened(reads=True).seek(offset if position is None else position, whence)  # type: ignore[arg-type]

    def tell(self) -> int:
        """The byte that is read next."""
        return self._opened(reads=True).tell() if self._reads else self._opened().tell()

    def seekable(self) -> bool:
        """Whether `seek` works: always."""
        return True

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        if self._file is not None and self._writes:
            self._file.flush()

    Flush = flush

    def close(self) -> None:
        """Closes the file; reading again starts anew."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> GFile:
        if self._mode[0] != "r":
            self._opened()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


class FastGFile(GFile):
    """`GFile` under the name of the first releases.

    Args:
      name: the file.
      mode: as Python's `open`: "r", "rb", "w", ...
    Example:
      >>> with tf.gfile.FastGFile("/tmp/note.txt", "w") as file:
      ...     file.write("hello")
      >>> tf.gfile.FastGFile("/tmp/note.txt").read()
      'hello'
    """


@dataclass(frozen=True)
class FileStatistics:
    """What is known of a file: bytes, time of the last change, whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


# ---- the names of tf.io.gfile; tf.gfile has other names for them ---------------------------


def exists(path: Any) -> bool:
    """Whether there is a file or folder of that name.

    Args:
      path: a file or a folder.
    Example:
      >>> tf.gfile.Exists("/tmp/no such file")
      False
    """
    return os.path.exists(_path(path))


def isdir(path: Any) -> bool:
    """Whether it is a folder."""
    return os.path.isdir(_path(path))


def stat(path: Any) -> FileStatistics:
    """Size, time and kind of a file.

    Raises:
      NotFoundError: when there is none.
    """
    with file_errors(path):
        found = os.stat(_path(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(_path(path)))


def remove(path: Any) -> None:
    """Deletes a file.

    Raises:
      NotFoundError: when there is none.
    """
    with file_errors(path):
        os.remove(_path(path))


def _check_overwrite(dst: Any, overwrite: bool) -> None:
    if not overwrite and exists(dst):
        raise errors.AlreadyExistsError(None, None, "file already exists")


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Raises:
      AlreadyExistsError: when `dst` exists and `overwrite` is False.
    """
    _check_overwrite(dst, overwrite)
    with file_errors(src):
        shutil.copyfile(_path(src), _path(dst))


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames or moves a file or folder.

    Raises:
      AlreadyExistsError: when `dst` exists and `overwrite` is False.
    """
    _check_overwrite(dst, overwrite)
    with file_errors(src):
        os.replace(_path(src), _path(dst))


def mkdir(path: Any) -> None:
    """Makes a folder in one that exists; does nothing when it is there.

    Raises:
      NotFoundError: when the folder around it does not exist.
    """
    if not isdir(path):
        with file_errors(path):
            os.mkdir(_path(path))


def makedirs(path: Any) -> None:
    """Makes a folder and all those around it; does nothing when it is there.

    Args:
      path: the folder; those above it are made as well.
    Raises:
      FailedPreconditionError: when a file is in the way.
    Example:
      >>> tf.gfile.MakeDirs("/tmp/a/b")
      >>> tf.gfile.Exists("/tmp/a/b")
      True
    """
    parent = _path(path)
    while parent and not os.path.exists(parent):
        parent = os.path.dirname(parent)
    if parent and not os.path.isdir(parent):
        raise errors.FailedPreconditionError(None, None, f"{parent} is not a directory")
    with file_errors(path):
        os.makedirs(_path(path), exist_ok=True)


def rmtree(path: Any) -> None:
    """Deletes a folder with all that is in it, or a file.

    Args:
      path: the folder, which goes with all that is in it.
    Raises:
      NotFoundError: when there is none.
    Example:
      >>> tf.gfile.MakeDirs("/tmp/a/b")
      >>> tf.gfile.DeleteRecursively("/tmp/a")
      >>> tf.gfile.Exists("/tmp/a")
      False
    """
    if not os.path.lexists(_path(path)):
        raise not_found(f"{_path(path)} not found")
    with file_errors(path):
        if isdir(path) and not os.path.islink(_path(path)):
            shutil.rmtree(_path(path))
        else:
            os.remove(_path(path))


def listdir(path: Any) -> list[str]:
    """The names in a folder, without `.` and `..`.

    Raises:
      NotFoundError: when there is no such folder.
    """
    if not isdir(path):
        raise not_found(f"Could not find directory {_path(path)}")
    with file_errors(path):
        return os.listdir(_path(path))


def glob(pattern: Any) -> list[str]:
    """The files that a pattern fits, or one of several: `*`, `?`, `[a-z]`, `\\*` for `*`."""
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else pattern
    spelled = [re.sub(r"\\(.)", r"[\1]", _path(each)) for each in patterns]
    return [name for each in spelled for name in sorted(_glob.glob(each))]


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[errors.OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yields `(folder, folders in it, files in it)` for a folder and all below it.

    Args:
      top: where to start.
      topdown: a folder before those in it; otherwise after them.
      onerror: called with the error when a folder cannot be listed.
    """

    def failed(error: OSError) -> None:
        if isdir(error.filename):
            with file_errors(error.filename):
                raise error
        if onerror is not None:
            onerror(not_found(f"Could not find directory {error.filename}"))

    return os.walk(_path(top), topdown, failed, followlinks=True)

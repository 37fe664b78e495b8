"""The files of published data sets: where each one is, and how its format is read.

    mnist.npz                    arrays of NumPy                        read_npz
    imdb.npz                     lists of numbers, as pickles in it     read_npz
    cifar-10-python.tar.gz       a folder of pickles                    read_pickle
    train-labels-idx1-ubyte.gz   sizes, then bytes (IDX)                read_idx

A pickle is a program: whoever writes one can run anything where it is read. These files come from a
network, so theirs are read by `_Plain`, for which there are numbers, texts, lists, dictionaries and
arrays, and nothing else.
"""

from __future__ import annotations

import gzip
import io
import os
import pickle
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.library.datasets.download import cache_folder, get_file
from minitf.library.formats.file_io import regular

_KERAS = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
_SOURCES = {
    _KERAS: """
        mnist.npz 731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1
        boston_housing.npz f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5
        imdb.npz 69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f
        imdb_word_index.json bfafd718b763782e994055a2d397834f
        train-images-idx3-ubyte.gz 3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84
        train-labels-idx1-ubyte.gz a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845
        t10k-images-idx3-ubyte.gz 346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073
        t10k-labels-idx1-ubyte.gz 67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5
    """,
    "https://www.cs.toronto.edu/~kriz/": """
        cifar-10-python.tar.gz 6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce
    """,
    "https://ai.stanford.edu/~amaas/data/sentiment/": """
        aclImdb_v1.tar.gz c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe
    """,
}
#: The four files of a data set in the form of MNIST.
IDX = tuple(name for name in _SOURCES[_KERAS].split() if name.endswith("ubyte.gz"))
#: By name the address of a published file, and its SHA-256 or MD5.
FILES = {
    name: (source + name, digest)
    for source, rows in _SOURCES.items()
    for name, digest in map(str.split, rows.strip().splitlines())
}


@dataclass(frozen=True)
class Store:
    """The folder in which the files are kept.

    folder: None for Keras's, `~/.keras/datasets`.
    download: whether a file that is not there is fetched.
    """

    folder: str | None = None
    download: bool = True

    def get(self, name: str, path: str = "", untar: bool = False) -> str:
        """The path of a file of `FILES`, fetched when need be.

        Args:
          name: which one.
          path: where it is kept, below the folder; by its name when "".
          untar: `path` is that of the folder packed in it, which is wanted in its place.
        Raises:
          FileNotFoundError: when it is not there and may not be fetched.
          DownloadError: when it cannot be fetched.
        """
        folder = self.folder or os.path.join(cache_folder(), "datasets")
        wanted = os.path.join(os.path.expanduser(folder), path or name)
        if not self.download and not os.path.exists(wanted):
            raise FileNotFoundError(
                f"{name} is not in {folder}, and download=False: let it be downloaded, or put it "
                "there."
            )
        url, digest = FILES[name]
        return get_file(wanted, url, untar=untar, file_hash=digest)


# ---- formats ------------------------------------------------------------------------------------


def read_idx(file: Any, kind: str) -> np.ndarray:
    """Reads an opened .gz file of the IDX format: a magic number and the sizes, then bytes.

    Args:
      file: opened, with a name.
      kind: "image", [n, rows, columns], or "label", [n].
    Raises:
      ValueError: when the file is no such one.
    """
    rank = {"image": 3, "label": 1}[kind]
    with gzip.GzipFile(fileobj=file) as stream:
        header = np.frombuffer(stream.read(4 * (1 + rank)), ">u4")  # big end first
        magic, *sizes = (int(number) for number in header)
        if magic != 2048 + rank:
            raise ValueError(f"Invalid magic number {magic} in MNIST {kind} file: {file.name}")
        return np.frombuffer(stream.read(), np.uint8).copy().reshape(sizes)


def read_npz(path: str) -> dict[str, np.ndarray]:
    """The arrays of an .npz file; those of Python's objects hold lists of numbers only.

    Raises:
      ValueError: when the file is none, or has other objects in it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except zipfile.BadZipFile as error:
        raise ValueError(f"{path}: {error}") from None
    return {
        name.removesuffix(".npy"): _read_npy(f"{path}: {name}", content)
        for name, content in members.items()
    }


def _read_npy(where: str, content: bytes) -> np.ndarray:
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read_header = getattr(np.lib.format, f"read_array_header_{version[0]}_0")
    shape, _, dtype = read_header(file)
    if dtype.hasobject:
        return np.asarray(_Plain(file, where).load()).reshape(shape)
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


def read_pickle(path: str) -> Any:
    """A pickle of numbers, texts, lists, dictionaries and arrays.

    Raises:
      ValueError: when anything else is in it, named.
    """
    with open(path, "rb", opener=regular) as file:
        return _Plain(file, path).load()


class _Plain(pickle.Unpickler):
    """Reads a pickle, with classes of this file in place of NumPy's, and no others at all."""

    def __init__(self, file: Any, where: str) -> None:
        super().__init__(file, encoding="bytes")  # Python 2's texts, as CIFAR's
        self._where = where

    def find_class(self, module: str, name: str) -> Any:
        own = _ADMITTED.get((module.removeprefix("numpy._core.").removeprefix("numpy.core."), name))
        if own is None:
            raise ValueError(
                f"{self._where} is refused: it asks for {module}.{name}, and only numbers, lists "
                "and arrays are read."
            )
        return _Maker(own)

    def load(self) -> Any:
        try:
            return _plain(super().load())
        except (pickle.UnpicklingError, EOFError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"{self._where} is broken: {error}") from None


class _Maker:
    """What a pickle may call; a pickle can change no attribute of it."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make

    def __call__(self, *args: Any) -> Any:
        return self._make(*args)

    def __setstate__(self, state: Any) -> None:
        raise TypeError("a class is not to be changed")


class _Type:
    """Stands for a numpy.dtype in a pickle."""

    def __init__(self, text: Any, *flags: Any) -> None:
        self.text = text.decode() if isinstance(text, bytes) else str(text)
        self.order = "|"

    def __setstate__(self, state: Any) -> None:
        self.order = state[1].decode() if isinstance(state[1], bytes) else str(state[1])

    @property
    def dtype(self) -> np.dtype:
        """The type; only such as have no objects in them."""
        found = np.dtype(self.order.replace("|", "=") + self.text)
        if found.kind not in "biuf":
            raise ValueError(f"an array of {found} is not read from a pickle")
        return found


class _Array:
    """Stands for a numpy.ndarray in a pickle."""

    value: Any = None

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, by_columns, content = state
        if isinstance(content, list):  # of Python's objects
            self.value = np.empty(len(content), object)
            for place, each in enumerate(content):  # one by one: lists may be equally long
                self.value[place] = _plain(each)
        else:
            self.value = np.frombuffer(content, kind.dtype)
        self.value = self.value.reshape(shape, order="F" if by_columns else "C")


def _plain(value: Any) -> Any:
    """A value with the real arrays in it."""
    if isinstance(value, _Array):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return value


_ADMITTED: dict[tuple[str, str], Callable[..., Any]] = {
    ("multiarray", "_reconstruct"): lambda *of: _Array(),
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
    ("multiarray", "scalar"): lambda kind, content: np.frombuffer(content, kind.dtype)[0],
    ("_codecs", "encode"): lambda text, kind: text.encode("latin1"),
}

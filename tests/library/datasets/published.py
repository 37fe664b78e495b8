"""Small data sets in the form of the published ones, and a server on loopback that has them."""

import contextlib
import functools
import gzip
import http.server
import io
import pickle
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from minitf.library.datasets import files
from minitf.library.datasets.download import hash_of

TEXTS = [[3, 1], [2, 9, 4], [5], [1, 1, 7, 2]]


def texts(count: int) -> np.ndarray:
    found = np.empty(count, object)
    found[:] = [[*TEXTS[n % 4]] for n in range(count)]
    return found


def images(count: int, *shape: int) -> np.ndarray:
    """Each picture is filled with its number."""
    return np.broadcast_to(np.arange(count, dtype=np.uint8).reshape(-1, *[1] * len(shape)),
                           (count, *shape)).copy()  # fmt: skip


def idx(array: np.ndarray) -> bytes:
    header = np.array([2048 + array.ndim, *array.shape], ">u4").tobytes()
    return gzip.compress(header + array.tobytes())


def python2_pickle(columns: dict[str, list[int]], pictures: np.ndarray) -> bytes:
    """As CIFAR's were written: protocol 2, with texts of Python 2, which are bytes now."""
    rows = pictures.reshape(len(pictures), -1)
    return pickle.dumps({b"data": rows, **{k.encode(): v for k, v in columns.items()}}, protocol=2)


def archive(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as packed:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def write_all(folder: Path) -> None:
    """Writes a small one of each of the published files."""
    np.savez(
        folder / "mnist.npz", x_train=images(5, 28, 28), y_train=np.arange(5, dtype=np.uint8),
        x_test=images(2, 28, 28), y_test=np.arange(2, dtype=np.uint8),
    )  # fmt: skip
    np.savez(folder / "imdb.npz", x_train=texts(4), y_train=np.array([0, 1, 0, 1]),
             x_test=texts(3), y_test=np.array([1, 1, 0]))  # fmt: skip
    np.savez(folder / "boston_housing.npz", x=np.arange(65.0).reshape(5, 13), y=np.arange(5.0))
    (folder / "imdb_word_index.json").write_text('{"the": 1, "of": 2}')
    for name, count in (("train", 4), ("t10k", 2)):
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(idx(images(count, 28, 28)))
        (folder / f"{name}-labels-idx1-ubyte.gz").write_bytes(idx(np.arange(count, dtype=np.uint8)))
    batch = python2_pickle({"labels": [0, 1, 2]}, images(3, 3, 32, 32))
    names = [*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"]
    cifar10 = archive({f"cifar-10-batches-py/{name}": batch for name in names})
    (folder / "cifar-10-python.tar.gz").write_bytes(cifar10)
    reviews = {
        f"aclImdb/{split}/{kind}/{n}_{n}.txt": f"{split} {kind} {n}".encode()
        for split, kinds in (("train", ("pos", "neg", "unsup")), ("test", ("pos", "neg")))
        for kind in kinds
        for n in range(2)
    }
    (folder / "aclImdb_v1.tar.gz").write_bytes(archive({"aclImdb/README": b"", **reviews}))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word, and counts how often it was asked."""

    def log_message(self, *args: object) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]


@contextlib.contextmanager
def serving(handler: type, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """A server on a free port of loopback: its address, and what it was asked for."""
    made = functools.partial(handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), made) as server:
        server.asked = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", server.asked  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def published(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Everything of `files.FILES` on loopback, and the cache in an empty home."""
    source, home = folder / "source", folder / "home"
    source.mkdir()
    home.mkdir()
    write_all(source)
    monkeypatch.setenv("HOME", str(home))
    with serving(Quiet, source) as (address, asked):
        for name, (url, digest) in list(files.FILES.items()):
            last = url.rpartition("/")[2]
            own = hash_of(str(source / last), len(digest))
            monkeypatch.setitem(files.FILES, name, (address + last, own))
        yield asked

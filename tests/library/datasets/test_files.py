"""Files of strangers: only numbers, texts, lists and arrays come out of a pickle."""

import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from minitf.library.datasets import files


def test_arrays_of_lists_and_of_numbers(tmp_path: Path) -> None:
    lists = np.empty(2, object)
    lists[:] = [[1, 2], [3, 4]]  # equally long, and still lists
    np.savez(tmp_path / "x.npz", lists=lists, numbers=np.eye(2, dtype=np.float32))
    found = files.read_npz(str(tmp_path / "x.npz"))
    assert (found["lists"].shape, found["lists"].tolist()) == ((2,), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(found["numbers"], np.eye(2))


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_plain_things_come_back(tmp_path: Path, protocol: int) -> None:
    big = np.arange(6, dtype=">i4").reshape(2, 3)
    value = {b"a": big, b"b": [1, 2.5, "x", None], b"c": np.asfortranarray(big), b"d": np.int64(7)}
    (tmp_path / "x").write_bytes(pickle.dumps(value, protocol=protocol))
    found = files.read_pickle(str(tmp_path / "x"))
    np.testing.assert_array_equal(found[b"a"], big)
    np.testing.assert_array_equal(found[b"c"], big)
    assert (found[b"b"], found[b"d"]) == ([1, 2.5, "x", None], 7)


class Touches:
    """What runs code when it is unpickled as usual."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self.path),)


def test_nothing_in_a_pickle_runs(tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    hostile = np.empty(1, object)
    hostile[0] = Touches(mark)
    np.savez(tmp_path / "x.npz", x=hostile)
    with pytest.raises(ValueError, match=r"x.npz: x.npy is refused: it asks for posix.mkdir"):
        files.read_npz(str(tmp_path / "x.npz"))
    (tmp_path / "x").write_bytes(pickle.dumps({b"data": Touches(mark)}))
    with pytest.raises(ValueError, match="is refused: it asks for posix.mkdir"):
        files.read_pickle(str(tmp_path / "x"))
    assert not mark.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cnumpy\nfromfile\n.",
        b"cnumpy.core.multiarray\n_reconstruct\n}S'__call__'\nI1\nsb.",  # changes what it calls
        b"cnumpy\ndtype\n(S'O8'\ntRcnumpy\nndarray\n(tR(I1\n(I1\ntg0\nI00\nS'x'\ntb.",
        b"cnumpy\nndarray\n)R(I1\n(I1\ntcnumpy\ndtype\n(S'O8'\ntRI00\nS'12345678'\ntb.",
        b"cnumpy\nndarray\n)R(I1\n(I9\ntcnumpy\ndtype\n(S'u1'\ntRI00\nS'12'\ntb.",
        b"\x80\x05broken",
        b"",
    ],
)
def test_hostile_and_broken_pickles_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ValueError):
        files.read_pickle(str(tmp_path / "x"))


def test_a_broken_npz_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"not a zip")
    with pytest.raises(ValueError, match="x.npz: File is not a zip file"):
        files.read_npz(str(tmp_path / "x.npz"))
    with zipfile.ZipFile(tmp_path / "y.npz", "w") as packed:
        packed.writestr("a.npy", b"nothing of NumPy's")
    with pytest.raises(ValueError):
        files.read_npz(str(tmp_path / "y.npz"))

"""`tf.gfile` and `tf.io.gfile`: files, folders, and TensorFlow's errors."""

from pathlib import Path

import pytest

import minitf as tf

gfile = tf.gfile


def test_reading_and_writing(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")
    with gfile.GFile(path, "w") as file:
        file.write("hello\nworld\n")
        file.write("é")
    with gfile.Open(path, "a") as file:
        file.write("!")
    with gfile.FastGFile(path) as file:
        assert (file.read(3), file.tell(), file.readline(), file.readlines()) == (
            "hel",
            3,
            "lo\n",
            ["world\n", "é!"],
        )
        file.seek(6)
        assert file.read() == "world\né!"
        assert file.size() == 15
    with gfile.GFile(path, "rb") as file:
        assert list(file) == [b"hello\n", b"world\n", b"\xc3\xa9!"]


def test_errors_of_files(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory"):
        gfile.GFile(missing).read()
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not 'r' or 'w'"):
        gfile.GFile(missing, "x")
    with gfile.GFile(missing, "w") as file:
        with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for reading"):
            file.read()
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for writing"):
        gfile.GFile(missing).write("x")


def test_copying_renaming_finding(tmp_path: Path) -> None:
    one, two, three = (str(tmp_path / name) for name in ("1.txt", "2.txt", "3.log"))
    Path(one).write_text("x")
    tf.io.gfile.copy(one, two)
    with pytest.raises(tf.errors.AlreadyExistsError, match="file already exists"):
        gfile.Copy(one, two)
    gfile.Copy(one, two, overwrite=True)
    gfile.Rename(two, three)
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.io.gfile.rename(one, three)
    assert gfile.Glob(str(tmp_path / "*.txt")) == [one]
    assert gfile.Glob([str(tmp_path / "1*"), str(tmp_path / "*.log")]) == [one, three]
    gfile.Remove(one)
    with pytest.raises(tf.errors.NotFoundError):
        gfile.Remove(one)
    assert tf.io.gfile.listdir(str(tmp_path)) == ["3.log"]

"""`tensorflow.python.lib.io.file_io`: files by functions."""

import pytest

from minitf.compat.internals import file_io
from minitf.core.graph import errors


def test_files_are_written_compared_and_removed(tmp_path) -> None:
    one, other = str(tmp_path / "a" / "one"), str(tmp_path / "other")
    file_io.recursive_create_dir(str(tmp_path / "a"))
    file_io.write_string_to_file(one, "text")
    file_io.atomic_write_string_to_file(other, b"text")
    assert file_io.read_file_to_string(one) == "text"
    assert file_io.read_file_to_string(one, binary_mode=True) == b"text"
    assert file_io.filecmp(one, other) and file_io.file_crc32(one) == file_io.file_crc32(other)
    with pytest.raises(errors.AlreadyExistsError):
        file_io.atomic_write_string_to_file(other, "more", overwrite=False)
    file_io.delete_recursively(str(tmp_path / "a"))
    assert not file_io.file_exists(one) and file_io.list_directory(str(tmp_path)) == ["other"]

"""TFRecord files and their checksums, damaged ones too."""

import zlib
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.formats import records as crc
from minitf.library.formats.records import RecordReader


def test_known_checksums() -> None:
    assert crc.crc32c(b"123456789") == 0xE3069283
    assert crc.crc32c(b"") == 0
    assert crc.crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, B.4
    assert crc.crc32c(bytes(range(32))) == 0x46DD794E
    for value in (0, 1, 0xE3069283, 0xFFFFFFFF):
        assert crc.unmask(crc.mask(value)) == value


@pytest.mark.parametrize("size", [0, 1, 31, 511, 512, 513, 1000, 4096, 100_003])
def test_numpy_computes_the_same_checksum_as_a_loop_over_bits(size: int) -> None:
    data = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8).tobytes()
    state = 0xFFFFFFFF
    for byte in data[:2000]:
        state ^= byte
        for _ in range(8):
            state = (state >> 1) ^ (0x82F63B78 if state & 1 else 0)
    if size <= 2000:
        assert crc.crc32c_in_numpy(data) == state ^ 0xFFFFFFFF
    assert crc.crc32c_in_numpy(data) == crc.crc32c(data)


@pytest.mark.parametrize("size", [4_095, 4_096, 80_064, 300_001])
def test_lanes_of_long_messages_are_joined(size: int) -> None:
    """Against short pieces, which the test above holds against a loop over bits."""
    data = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    crc_of_parts = 0
    for start in range(0, size, 1_000):  # too short for lanes
        crc_of_parts = crc.crc32c_in_numpy(data[start : start + 1_000], crc_of_parts)
    assert crc.crc32c_in_numpy(data) == crc.crc32c_in_numpy(data.tobytes()) == crc_of_parts
    assert crc.crc32c(memoryview(data)) == crc.crc32c(bytearray(data)) == crc_of_parts
    assert crc.crc32c_in_numpy(data[1:], 5) == crc.crc32c(data[1:].copy(), 5)
    assert crc.crc32c_in_numpy(data ^ (np.arange(size) == size // 3)) != crc_of_parts


def test_checksums_do_not_need_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crc, "google_crc32c", None)
    assert crc.crc32c(b"123456789") == 0xE3069283


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "r.tfrecord"
    with tf.io.TFRecordWriter(path) as writer:
        for record in (b"one", b"two two", b""):
            writer.write(record)
    return path


def test_records_come_back(path: Path) -> None:
    assert list(tf.python_io.tf_record_iterator(str(path))) == [b"one", b"two two", b""]
    assert path.read_bytes()[:12] == b"\x03\0\0\0\0\0\0\0\xb0\x99I\x0e"


@pytest.mark.parametrize(
    ("damage", "good", "text"),
    [
        (lambda d: d[:17], 0, r"truncated record at 0' failed with Read less bytes than requested"),
        (lambda d: d[:-3], 2, r"truncated record at 42'"),
        (lambda d: d[:13] + b"X" + d[14:], 0, r"corrupted record at 12"),
        (lambda d: b"\x04" + d[1:], 0, r"corrupted record at 0 \(Is this even a TFRecord file\?\)"),
        (lambda d: d[:-2] + b"zz", 2, r"corrupted record at 54"),
    ],
)
def test_damage_is_found_and_placed(path: Path, damage: object, good: int, text: str) -> None:
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    read = []
    with RecordReader(path) as reader, pytest.raises(tf.errors.DataLossError, match=text) as caught:
        read.extend(reader)
    assert str(path) in caught.value.message
    with RecordReader(path) as reader:
        assert [reader.read() for _ in range(good)] == [b"one", b"two two", b""][:good]


def test_a_file_cut_before_a_record_ends_there(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 19 + 8])
    assert list(tf.python_io.tf_record_iterator(path)) == [b"one"]


def test_damaged_compression(path: Path) -> None:
    path.write_bytes(zlib.compress(path.read_bytes())[:-8] + b"garbage!")
    with pytest.raises(tf.errors.DataLossError):
        list(tf.python_io.tf_record_iterator(path, "ZLIB"))
    with pytest.raises(tf.errors.DataLossError):
        list(tf.python_io.tf_record_iterator(path, "GZIP"))


def test_options_and_errors(path: Path) -> None:
    kinds = tf.python_io.TFRecordCompressionType
    options = tf.python_io.TFRecordOptions
    assert options.get_compression_type_string(options(kinds.GZIP)) == "GZIP"
    with pytest.raises(ValueError, match='Not a valid compression_type: "BZ"'):
        options("BZ")
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.python_io.tf_record_iterator(str(path) + "x")
    writer = tf.python_io.TFRecordWriter(str(path))
    with pytest.raises(TypeError):
        writer.write(3)
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError):
        writer.write(b"late")

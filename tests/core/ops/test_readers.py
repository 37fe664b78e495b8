"""Readers and files: what steps read from files whose names come out of a queue."""

from pathlib import Path
from typing import Any

import pytest

import minitf as tf
from tests.promises import OPS


def all_of(tensors: Any) -> list:
    """What a pipeline gives until its data end."""
    found = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while True:
                found.append(sess.run(tensors))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coord.request_stop()
            coord.join(threads)
    return found


def files(*paths: Path) -> tf.QueueBase:
    return tf.train.string_input_producer([str(p) for p in paths], num_epochs=1, shuffle=False)


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("a.txt", "empty.txt", "b.txt")]
    for path, content in zip(paths, [b"h1\none\n\ntwo", b"", b"h2\r\nx\r\n"], strict=True):
        path.write_bytes(content)
    return paths


def test_lines_with_their_numbers(texts: list[Path]) -> None:
    reader = tf.TextLineReader(skip_header_lines=1)
    kv = reader.read(files(*texts))
    got = all_of(kv)
    a, _, b = (str(path).encode() for path in texts)
    assert [v for _, v in got] == [b"one", b"", b"two", b"x"]
    assert [k for k, _ in got] == [a + b":2", a + b":3", a + b":4", b + b":2"]


def test_pieces_of_one_length(tmp_path: Path) -> None:
    path = tmp_path / "f.bin"
    path.write_bytes(b"HEAD" + bytes(range(10)) + b"END")
    got = all_of(tf.FixedLengthRecordReader(3, 4, 3).read(files(path)))
    assert [v for _, v in got] == [bytes(range(i, i + 3)) for i in (0, 3, 6)]
    assert got[2][0] == str(path).encode() + b":2"
    with tf.Graph().as_default():
        reader = tf.FixedLengthRecordReader(2, header_bytes=4, hop_bytes=5)
        got = all_of(reader.read(files(path)))
        assert [v for _, v in got] == [b"\x00\x01", b"\x05\x06", b"EN"]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records(tmp_path: Path, compression: str) -> None:
    paths = [tmp_path / "one.tfrecord", tmp_path / "two.tfrecord"]
    options = tf.python_io.TFRecordOptions(compression)
    for path in paths:
        with tf.python_io.TFRecordWriter(str(path), options) as writer:
            for i in range(3):
                writer.write(f"{path.stem}{i}".encode())
    got = all_of(tf.TFRecordReader(options=options).read(files(*paths)))
    assert [v for _, v in got] == [f"{p.stem}{i}".encode() for p in paths for i in range(3)]
    assert got[1][0] == f"{paths[0]}:20".encode()


def test_read_write_match(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "file.txt")
    with tf.Session() as sess:
        sess.run(tf.write_file(path, "content"))
        assert sess.run(tf.read_file(path)) == b"content"
        assert sess.run(tf.matching_files([path, path + "x"])).tolist() == [path.encode()]
        with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
            sess.run(tf.read_file(path + "x"))
        with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
            sess.run(tf.read_file(str(tmp_path)))


def test_no_operation_runs_a_regular_expression() -> None:
    """Python's `re` may take for ever where TensorFlow's RE2 does not."""
    patterns = {
        op_def.type
        for op_def in OPS
        for name in (op_def.type, *op_def.attr_names, *(arg.name for arg in op_def.inputs))
        if any(word in name.lower() for word in ("regex", "pattern", "rewrite"))
    }
    assert patterns == {"MatchingFiles"}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("part", ["*a", "a*", "?*", "[!b]*", "**a", "*?a*"])
def test_a_pattern_that_nearly_fits_ends(part: str, tmp_path: Path) -> None:
    (tmp_path / ("a" * 200)).touch()
    with tf.Session() as sess:
        assert sess.run(tf.matching_files(str(tmp_path / (part * 40 + "b")))).size == 0
        assert sess.run(tf.matching_files(str(tmp_path / (part * 40)))).size == 1

"""Datasets of files: damage, compression, caches."""

import gzip
import os
import zlib

import pytest

import minitf as tf

Dataset = tf.data.Dataset


def _write(path, *records):
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def test_damaged_record_names_file_and_offset(tmp_path, sess):
    path = _write(tmp_path / "broken", b"first", b"second")
    with open(path, "r+b") as file:
        file.seek(36)
        file.write(b"X")
    element = tf.data.TFRecordDataset(path).make_one_shot_iterator().get_next()
    assert sess.run(element) == b"first"
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at") as caught:
        sess.run(element)
    assert path in caught.value.message


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_compressed_records_of_one_length(compression, tmp_path, drained):
    pack = {"GZIP": gzip, "ZLIB": zlib}[compression].compress
    records = [bytes([i]) * 300_000 for i in range(4)]  # each more than is decompressed at once
    path = tmp_path / "packed"
    path.write_bytes(pack(b"head" + b"".join(records) + b"feet!"))
    dataset = tf.data.FixedLengthRecordDataset(
        str(path), 300_000, header_bytes=4, footer_bytes=5, compression_type=compression
    )
    assert drained(dataset) == records


def test_list_files_in_random_order(tmp_path, drained):
    for i in range(5):
        (tmp_path / f"{i}.txt").write_text(str(i))
    names = drained(Dataset.list_files(f"{tmp_path}/*.txt", seed=1))
    assert sorted(os.path.basename(n) for n in names) == [b"%d.txt" % i for i in range(5)]
    lines = Dataset.list_files(f"{tmp_path}/*.txt").interleave(tf.data.TextLineDataset, 5)
    assert sorted(drained(lines)) == [b"0", b"1", b"2", b"3", b"4"]


def test_file_cache_is_read_by_the_next_program(tmp_path, sess):
    path = str(tmp_path / "cache")

    def walk(count):
        seen = []
        dataset = Dataset.range(3).map(
            lambda x: tf.py_func(lambda a: seen.append(a) or a, [x], tf.int64)
        )
        element = dataset.cache(path).make_one_shot_iterator().get_next()
        found = []
        try:
            for _ in range(count):
                found.append(sess.run(element))
        except tf.errors.OutOfRangeError:
            pass
        return found, len(seen)

    assert walk(9) == ([0, 1, 2], 3)
    assert walk(9) == ([0, 1, 2], 0)
    assert sorted(os.listdir(tmp_path)) == ["cache.data", "cache.index"]


def test_half_a_cache_is_none(tmp_path):
    path = str(tmp_path / "cache")
    element = Dataset.range(3).cache(path).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(element)
        assert os.path.exists(f"{path}.lockfile")
    assert not os.path.exists(f"{path}.index")
    with tf.Session() as session:
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]

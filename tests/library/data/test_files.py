"""Datasets of files: damage, compression, caches."""

import os

import numpy as np
import pytest

import minitf as tf

Dataset = tf.data.Dataset


def _write(path, *records):
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def test_examples_parsed_in_a_function(tmp_path, drained):
    def example(i):
        feature = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i + 1])),
            "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
        }
        return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

    path = _write(tmp_path / "train", *map(example, range(5)))
    spec = {"x": tf.FixedLenFeature([2], tf.float32), "y": tf.FixedLenFeature([], tf.int64)}
    dataset = tf.data.TFRecordDataset(path).map(lambda r: tf.parse_single_example(r, spec))
    batches = drained(dataset.batch(2))
    assert [b["y"].tolist() for b in batches] == [[0, 1], [2, 3], [4]]
    assert batches[0]["x"].tolist() == [[0, 1], [1, 2]]


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


def test_list_files_that_are_not_there(tmp_path, sess):
    iterator = Dataset.list_files(f"{tmp_path}/*.none").make_initializable_iterator()
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        sess.run(iterator.initializer)


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


@pytest.mark.parametrize("size", [2, 3])
def test_fixed_length_records(tmp_path, drained, size):
    path = tmp_path / "fixed"
    path.write_bytes(b"HH" + bytes(range(12)) + b"F")
    dataset = tf.data.FixedLengthRecordDataset(str(path), size, header_bytes=2, footer_bytes=1)
    numbers = dataset.map(lambda r: tf.decode_raw(r, tf.uint8))
    assert np.concatenate(drained(numbers)).tolist() == list(range(12))


def test_fixed_length_records_that_do_not_fit(tmp_path, sess):
    path = tmp_path / "fixed"
    path.write_bytes(b"12345")
    element = tf.data.FixedLengthRecordDataset(str(path), 2).make_one_shot_iterator().get_next()
    with pytest.raises(tf.errors.InvalidArgumentError, match="body length 5 bytes"):
        sess.run(element)

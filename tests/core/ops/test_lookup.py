"""Lookup tables."""

from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.text import lookup


@pytest.fixture
def words(tmp_path: Path) -> str:
    path = tmp_path / "words.txt"
    path.write_text("emerson\nlake\npalmer\n")
    return str(path)


def looked_up(table: tf.lookup.StaticHashTable, keys: list) -> np.ndarray:
    found = table.lookup(tf.constant(keys))
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        return sess.run(found)


def test_tables_of_files(words: str) -> None:
    assert looked_up(lookup.index_table_from_file(words), ["lake", "?"]).tolist() == [1, -1]
    with tf.Graph().as_default():
        table = lookup.index_to_string_table_from_file(words)
        keys = tf.constant([2, 9], tf.int64)
        with tf.Session() as sess:
            sess.run(tf.tables_initializer())
            assert sess.run(table.lookup(keys)).tolist() == [b"palmer", b"UNK"]
    with tf.Graph().as_default():
        table = lookup.index_table_from_file(words, vocab_size=9)
        with (
            tf.Session() as sess,
            pytest.raises(tf.errors.InvalidArgumentError, match="vocab_size"),
        ):
            sess.run(table.initializer)


def test_a_table_that_steps_change() -> None:
    table = lookup.MutableHashTable(tf.string, tf.int64, -1)
    x = tf.placeholder(tf.string, [None])
    insert = table.insert(x, [1, 2])
    found, size, everything = table.lookup(x), table.size(), table.export()
    with tf.Session() as sess:
        assert sess.run(found, {x: ["a"]}).tolist() == [-1]
        sess.run(insert, {x: ["a", "b"]})
        assert sess.run(found, {x: ["b", "a", "c"]}).tolist() == [2, 1, -1]
        assert sess.run(size) == 2
        assert sess.run(table.lookup(["b", "x"])).tolist() == [2, -1]
        keys, values = sess.run(everything)
        assert (keys.tolist(), values.tolist()) == ([b"a", b"b"], [1, 2])

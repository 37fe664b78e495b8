"""Rows of a database as a dataset."""

import sqlite3

import pytest

import minitf as tf


def test_rows_of_a_query(tmp_path):
    path = str(tmp_path / "rows.sqlite")
    with sqlite3.connect(path) as made:
        made.execute("create table t (name text, n int)")
        made.executemany("insert into t values (?, ?)", [("a", 1), ("b", 2)])
    query = "select name, n from t"
    rows = tf.data.experimental.SqlDataset("sqlite", path, query, (tf.string, tf.int32))
    element = rows.make_one_shot_iterator().get_next()
    wrong = tf.data.experimental.SqlDataset("sqlite", path, "select absent from t", (tf.string,))
    failing = wrong.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert [sess.run(element) for _ in range(2)] == [(b"a", 1), (b"b", 2)]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(element)
        with pytest.raises(tf.errors.UnknownError, match="no such column"):
            sess.run(failing)
    with sqlite3.connect(path) as again:
        assert again.execute("select count(*) from t").fetchone() == (2,)

"""What whole datasets end in: files, one element, results by key, loops of functions."""

from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

D, E = tf.data.Dataset, tf.data.experimental


def elements(dataset: tf.data.Dataset) -> list:
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        try:
            while True:
                found.append(session.run(element))
        except tf.errors.OutOfRangeError:
            return found


def test_records_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "records"
    with tf.Session() as session:
        session.run(E.TFRecordWriter(str(path)).write(D.from_tensor_slices(["a", "b"])))
        broken = D.range(3).map(lambda x: tf.as_string(5 // (x - 1)))
        with pytest.raises(tf.errors.OpError):
            session.run(E.TFRecordWriter(str(path)).write(broken))
    assert list(tf.python_io.tf_record_iterator(str(path))) == [b"a", b"b"]
    assert [each.name for each in tmp_path.iterdir()] == ["records"]


def test_a_dataset_of_something_else_is_not_written() -> None:
    with pytest.raises(TypeError, match="produces scalar `tf.string` elements"):
        E.TFRecordWriter("x").write(D.range(3))


# ---- tables --------------------------------------------------------------------------------------


def test_files_of_unequal_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,z\n1,2\n")
    (tmp_path / "c.csv").write_text("")
    for names, message in (
        (["a.csv", "b.csv"], "File .*b.csv has different column names"),
        (["c.csv"], "Is it an empty file"),
        (["none.csv"], "No files match"),
    ):
        with pytest.raises(ValueError, match=message):
            E.make_csv_dataset([str(tmp_path / name) for name in names], 1)
    with pytest.raises(ValueError, match="`label_name` provided must be one of the columns"):
        E.make_csv_dataset(str(tmp_path / "a.csv"), 1, label_name="z")
    with pytest.raises(ValueError, match="CSV row 2 has 2 number of fields. Expected: 3"):
        E.make_csv_dataset(str(tmp_path / "a.csv"), 1, column_names=["x", "y", "z"])


# ---- loops ---------------------------------------------------------------------------------------


def test_a_loop_in_a_graph() -> None:
    pytest.importorskip("malt", reason="AutoGraph needs diastatic-malt")

    def joined(dataset: tf.data.Dataset) -> tf.Tensor:
        text = tf.constant("")
        for word, count in dataset:
            if count > 1:
                text = text + word
        return text

    dataset = D.from_tensor_slices((["a", "b", "c"], [1, 2, 3]))
    found = tf.autograph.to_graph(joined)(dataset)
    with tf.Session() as session:
        assert [session.run(found) for _ in range(2)] == [b"bc", b"bc"]


def test_a_loop_over_pairs_of_unknown_shape() -> None:
    pytest.importorskip("malt", reason="AutoGraph needs diastatic-malt")
    with eager_mode():

        @tf.function
        def length(dataset: tf.data.Dataset) -> tf.Tensor:
            result = tf.constant(0)
            for row in dataset:
                result += tf.size(row)
            return result

        dataset = D.range(4).map(lambda x: tf.range(x))
        np.testing.assert_array_equal(length(dataset), 6)

"""Lookup tables that a dataset fills; values and texts are in `tests/conformance/cases/data.py`."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

E = tf.data.experimental
WORDS = tf.data.Dataset.from_tensor_slices


@pytest.fixture
def sess() -> Any:
    with tf.Session() as session:
        yield session


def test_a_table_is_filled_once_by_its_dataset(sess: Any) -> None:
    seen: list[Any] = []

    def noted(x: Any) -> Any:
        seen.append(x.tolist())
        return x

    numbers = tf.data.Dataset.range(3).map(lambda x: tf.py_func(noted, [x], tf.int64))
    numbers = numbers.map(lambda x: tf.reshape(x, []))
    table = E.table_from_dataset(tf.data.Dataset.zip((WORDS(["a", "b", "c"]), numbers)))
    for _ in range(2):
        sess.run(tf.tables_initializer())
    assert sess.run(table.lookup(tf.constant(["c", "q"]))).tolist() == [2, -1]
    assert seen == [0, 1, 2]


def test_values_of_several_types(sess: Any) -> None:
    values = WORDS(np.array([1.5, 2.5], np.float32))
    table = E.table_from_dataset(
        tf.data.Dataset.zip((WORDS(["a", "b"]), values)), default_value=0.5
    )
    sess.run(table.initializer)
    assert sess.run(table.lookup(tf.constant(["b", "q"]))).tolist() == [2.5, 0.5]


def test_a_vocabulary_that_is_too_small_is_refused(sess: Any) -> None:
    table = E.index_table_from_dataset(WORDS(["a", "b"]), vocab_size=3)
    with pytest.raises(tf.errors.FailedPreconditionError, match="3 elements but contained only 2"):
        sess.run(table.initializer)
    with pytest.raises(TypeError, match="has no len"):
        E.table_from_dataset(WORDS(["a"]))


def test_how_many_elements_are_expected_is_a_number(sess: Any) -> None:
    dataset = tf.data.Dataset.range(3).apply(E.assert_cardinality([1, 2]))
    iterator = tf.data.make_initializable_iterator(dataset)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cardinality must be a scalar"):
        sess.run(iterator.initializer)


def test_what_is_expected_goes_on_from_a_checkpoint(tmp_path: Any) -> None:
    dataset = tf.data.Dataset.range(4).apply(E.assert_cardinality(3))
    iterator = tf.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    saver = tf.train.Saver([E.make_saveable_from_iterator(iterator)])
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        assert [sess.run(following) for _ in range(2)] == [0, 1]
        path = saver.save(sess, str(tmp_path / "c"))
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        saver.restore(sess, path)
        assert sess.run(following) == 2
        with pytest.raises(tf.errors.FailedPreconditionError, match="at least 4 elements"):
            sess.run(following)

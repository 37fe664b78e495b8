"""`tf.contrib.learn` without an estimator: graph actions, records of files, tables, tasks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

learn = tf.contrib.learn


@pytest.fixture(autouse=True)
def own_graph() -> Any:
    with tf.Graph().as_default():
        yield


def line() -> tuple[Any, Any, Any]:
    """w x with w = 0 and its squared distance from 2 x; a step of descent."""
    x = tf.placeholder_with_default(np.float32([1.0, 2.0]), [None], name="x")
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(w * x - 2 * x))
    step = tf.train.create_global_step()
    return x, loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)


def test_a_loss_that_is_not_a_number_ends_the_training(tmp_path: Path) -> None:
    x, loss, step = line()
    with pytest.raises(learn.NanLossDuringTrainingError):
        learn.train(
            tf.get_default_graph(), str(tmp_path), step, loss, steps=2,
            feed_fn=lambda: {x: [np.nan]},
        )  # fmt: skip


def test_tables_of_pandas_become_arrays() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    assert learn.extract_pandas_data(table).tolist() == [[1, 0.5], [2, 1.5]]
    assert learn.extract_pandas_matrix(table).shape == (2, 2)
    assert learn.extract_pandas_labels(table[["a"]]).tolist() == [[1], [2]]
    assert learn.extract_pandas_labels([3]) == [3]
    with pytest.raises(ValueError, match="Only one column for labels is allowed."):
        learn.extract_pandas_labels(table)
    with pytest.raises(ValueError, match="Data types for extracting pandas data must be int"):
        learn.extract_pandas_data(pandas.DataFrame({"a": ["x"]}))

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

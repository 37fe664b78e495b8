"""Recurrent networks on a stand-in for a card: the same numbers, a launch a cell."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.fast.cuda import cupy_double as double

cells = tf.nn.rnn_cell
FEEDS = np.random.default_rng(0).normal(size=(5, 4, 3)).astype(np.float32)


def slopes(kind: Any, rnn: str, lengths: Any) -> list[Any]:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 4, 3])
        cell = kind(6)
        if rnn == "static":
            parts = tf.unstack(x, axis=1)
            outputs, state = tf.nn.static_rnn(
                cell, parts, dtype=tf.float32, sequence_length=lengths
            )
        else:
            outputs, state = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
        loss = tf.reduce_sum(tf.square(tf.stack(outputs))) + tf.reduce_sum(tf.stack(state))
        wanted = [loss, *tf.gradients(loss, [x, *tf.trainable_variables()])]
        rng = np.random.default_rng(1)
        for each in tf.trainable_variables():
            each.load(rng.normal(size=each.shape.as_list()), sess)
        return sess.run(wanted, {x: FEEDS})


@pytest.mark.parametrize(
    ("kind", "rnn", "lengths"),
    [
        (cells.LSTMCell, "static", None),
        (cells.LSTMCell, "static", [0, 4, 2, 1, 4]),
        (cells.LSTMCell, "dynamic", [0, 4, 2, 1, 4]),
        (cells.GRUCell, "dynamic", None),
    ],
)
def test_a_card_gives_what_the_cpu_gives(
    monkeypatch: Any, kind: Any, rnn: str, lengths: Any
) -> None:
    wanted = slopes(kind, rnn, lengths)
    double.install(monkeypatch, 1)
    double.log.clear()
    for one, other in zip(slopes(kind, rnn, lengths), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    launched = [entry[1] for entry in double.log if entry[0] == "kernel"]
    times = 4 if kind is cells.LSTMCell else 0
    assert launched.count("lstm_cell") == launched.count("lstm_cell_grad") == times

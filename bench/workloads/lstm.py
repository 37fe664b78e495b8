"""An LSTM of 128 units that reads an image row by row: 28 steps of 28 numbers, batch 128."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.case import Case, Library

STEPS, INPUTS, UNITS, CLASSES = 28, 28, 128, 10

WANTED = {"static_rnn": (0.8, 1.1), "dynamic_rnn": (0.8, 1.15)}

CASES = tuple(
    Case(
        f"LSTM, {rnn}, {of}",
        "lstm",
        {"rnn": rnn, "batch": 128},
        build=build,
        wanted=wanted,
        wanted_fast=fast,
        crowd=of == "training",
        cores=True,
        bound="84 products of 17 to 20 MFLOP take 9 of the 12 ms; the cells, in NumPy, another 3.",
    )
    for rnn, (wanted, fast) in WANTED.items()
    for of, build in (("training", "build"), ("answers", "build_answers"))
)


def build(library: Library, rnn: str, batch: int) -> Callable[[], object]:
    tf = library.tf
    train, feeds = training(tf, rnn, batch)
    session = library.session()
    session.run(tf.global_variables_initializer())
    return lambda: session.run(train, feeds)


def build_answers(library: Library, rnn: str, batch: int) -> Callable[[], object]:
    tf = library.tf
    x = tf.placeholder(tf.float32, [None, STEPS, INPUTS], name="x")
    answers = tf.nn.softmax(network(tf, rnn, x))
    session = library.session()
    session.run(tf.global_variables_initializer())
    feeds = {x: rows(batch)}
    return lambda: session.run(answers, feeds)


def training(tf: Any, rnn: str, batch: int) -> tuple[Any, dict[Any, Any]]:
    """Builds one training step; returns its op and the feeds."""
    x = tf.placeholder(tf.float32, [None, STEPS, INPUTS], name="x")
    labels = tf.placeholder(tf.float32, [None, CLASSES], name="labels")
    logits = network(tf, rnn, x)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
    classes = np.eye(CLASSES, dtype=np.float32)[np.random.default_rng(1).integers(0, 10, batch)]
    return train, {x: rows(batch), labels: classes}


def network(tf: Any, rnn: str, x: Any) -> Any:
    """Builds the network; returns the logits of what it thinks after the last row."""
    cell = tf.nn.rnn_cell.LSTMCell(UNITS)
    if rnn == "static_rnn":
        outputs, _ = tf.nn.static_rnn(cell, tf.unstack(x, STEPS, 1), dtype=tf.float32)
        last = outputs[-1]
    else:
        outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        last = outputs[:, -1]
    weights = tf.Variable(tf.random_normal([UNITS, CLASSES]))
    return tf.matmul(last, weights) + tf.Variable(tf.zeros([CLASSES]))


def rows(batch: int) -> np.ndarray:
    """Returns images of noise as sequences of rows, [batch, steps, inputs]."""
    return np.random.default_rng(0).random((batch, STEPS, INPUTS), np.float32)

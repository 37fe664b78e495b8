"""Random convolutional and recurrent networks train alike with all passes and with none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.compiled import load_compiled

ACTIVATIONS = (None, tf.nn.relu, tf.tanh, tf.nn.relu6)
OPTIMIZERS = (
    lambda: tf.train.GradientDescentOptimizer(0.05),
    lambda: tf.train.AdamOptimizer(0.01),
    lambda: tf.train.RMSPropOptimizer(0.01),
    lambda: tf.train.AdagradOptimizer(0.1),
)
CELLS = (
    lambda rnn, units: rnn.LSTMCell(units, forget_bias=0.0),
    lambda rnn, units: rnn.BasicLSTMCell(units),
    lambda rnn, units: rnn.LSTMCell(units, use_peepholes=True),
    lambda rnn, units: rnn.LSTMCell(units, num_proj=2),
    lambda rnn, units: rnn.LSTMCell(units, cell_clip=0.1),
    lambda rnn, units: rnn.GRUCell(units),
    lambda rnn, units: rnn.BasicRNNCell(units),
    lambda rnn, units: rnn.MultiRNNCell([rnn.LSTMCell(units), rnn.LSTMCell(3)]),
)
Network = tuple[list, Any, Callable[[int], dict]]


def one_of(rng: np.random.Generator, items: Any) -> Any:
    return items[rng.integers(len(items))]


def convolutional(rng: np.random.Generator) -> Network:
    x = tf.placeholder(tf.float32, [None, *rng.integers(12, 17, 2), rng.integers(1, 4)])
    labels = tf.placeholder(tf.int64, [None])
    h = x
    for _ in range(rng.integers(1, 3)):
        h = tf.layers.conv2d(
            h,
            int(rng.integers(1, 9)),
            int(rng.integers(1, 6)),
            padding=one_of(rng, ("same", "valid")) if h is x else "same",
            strides=int(rng.integers(1, 3)),
            activation=one_of(rng, ACTIVATIONS),
            use_bias=bool(rng.integers(2)),
        )
        if rng.integers(3) == 0:
            h = tf.layers.batch_normalization(h, training=True)
        pool = one_of(rng, (tf.layers.max_pooling2d, tf.layers.average_pooling2d))
        size = int(rng.integers(1, 4))
        h = pool(h, size, one_of(rng, (size, 1, 2)), padding="same")
        h = tf.nn.relu(h) if rng.integers(2) else h
    y = tf.layers.dense(tf.layers.flatten(h), 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, y)
    shape = x.shape.as_list()[1:]

    def feed(rows: int) -> dict:
        images = rng.normal(size=(rows, *shape)).astype(np.float32)
        return {x: images, labels: rng.integers(0, 3, rows)}

    return [y, loss], loss, feed


def recurrent(rng: np.random.Generator) -> Network:
    steps, depth, units = (int(n) for n in rng.integers(1, 6, 3))
    x = tf.placeholder(tf.float32, [None, steps, depth])
    lengths = tf.placeholder(tf.int32, [None])
    cell = one_of(rng, CELLS)(tf.nn.rnn_cell, units)
    known = lengths if rng.integers(2) else None
    if rng.integers(2):
        outputs, _ = tf.nn.dynamic_rnn(cell, x, sequence_length=known, dtype=tf.float32)
    else:
        turns = tf.unstack(x, steps, 1)
        each, _ = tf.nn.static_rnn(cell, turns, sequence_length=known, dtype=tf.float32)
        outputs = tf.stack(each, 1)
    last = outputs[:, -1] if rng.integers(2) else tf.reduce_mean(outputs, 1)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(last, 2)))

    def feed(rows: int) -> dict:
        sequences = rng.normal(size=(rows, steps, depth)).astype(np.float32)
        return {x: sequences, lengths: rng.integers(0, steps + 1, rows)}

    return [outputs, loss], loss, feed


def trained(build: Callable[[np.random.Generator], Network], seed: int, level: int) -> list:
    """Outputs, gradients and weights of a random network through a few steps of training."""
    rng = np.random.default_rng(seed)
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = level
    results: list = []
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        fetches, loss, feed = build(rng)
        weights = tf.trainable_variables()
        slopes = [slope for slope in tf.gradients(loss, weights) if slope is not None]
        update = one_of(rng, OPTIMIZERS)().minimize(loss)
        session.run(tf.global_variables_initializer())
        for weight in weights:
            weight.load(0.5 * rng.normal(size=weight.shape.as_list()).astype(np.float32), session)
        for rows in (3, 1, 40):
            given = feed(rows)
            results += session.run([*fetches, *slopes], given)
            for _ in range(2):
                session.run(update, given)
            results += session.run(weights)
    return results


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("build", [convolutional, recurrent])
def test_passes_change_no_training(build: Any, seed: int) -> None:
    load_compiled()
    plain = trained(build, seed, tf.OptimizerOptions.L0)
    rewritten = trained(build, seed, tf.OptimizerOptions.L1)
    for one, other in zip(plain, rewritten, strict=True):
        assert one.shape == other.shape
        scale = 2e-4 * max(1.0, np.max(np.abs(one), initial=0.0))
        np.testing.assert_allclose(other, one, rtol=2e-3, atol=scale)

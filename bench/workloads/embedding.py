"""Word vectors: 1,024 rows of a table of 50,000 x 128 are read, and moved by SGD."""

from collections.abc import Callable

import numpy as np

from bench.case import Case, Library

CASES = (
    Case(
        "embedding 50,000 x 128, 1,024 rows",
        "embedding",
        {"words": 50_000, "size": 128, "batch": 1024},
        wanted=3.0,
        wanted_fast=3.5,
        crowd=True,
        cores=True,
        bound="Passes over 512 KB: gather 12 us, difference 10, factor 6, scatter 23.",
    ),
)


def build(library: Library, words: int, size: int, batch: int) -> Callable[[], object]:
    tf = library.tf
    ids = tf.placeholder(tf.int32, [None], name="ids")
    targets = tf.placeholder(tf.float32, [None, size], name="targets")
    table = tf.Variable(tf.random_uniform([words, size], -1.0, 1.0))
    rows = tf.nn.embedding_lookup(table, ids)
    loss = tf.reduce_mean(tf.square(rows - targets))
    train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    session = library.session()
    session.run(tf.global_variables_initializer())
    rng = np.random.default_rng(0)
    feeds = {
        ids: rng.integers(0, words, batch).astype(np.int32),
        targets: rng.random((batch, size), np.float32),
    }
    return lambda: session.run(train, feeds)

"""Ridge regression, 20,000 examples of 10 features: on all of them, on 100, on one a step."""

from collections.abc import Callable

import numpy as np

from bench.case import Case, Library

EXAMPLES, FEATURES = 20_000, 10

CASES = tuple(
    Case(
        f"ridge 20,000 x 10, {name}",
        "ridge",
        {"batch": batch},
        wanted=wanted,
        wanted_fast=fast,
        crowd=True,
        cores=True,
        bound="13 calls of NumPy take 5.5 us, two locks 0.4, the run and its feeds 1.5; with all "
        "examples, reading 800 KB twice.",
    )
    for name, batch, wanted, fast in (
        ("full batch", EXAMPLES, 3.5, 4.0),
        ("batch 100", 100, 12.0, 30.0),
        ("batch 1", 1, 12.0, 30.0),
    )
)


def build(library: Library, batch: int) -> Callable[[], object]:
    """Builds one step; the full batch is a constant of the graph, others are fed."""
    tf = library.tf
    rng = np.random.default_rng(0)
    features = rng.normal(size=(EXAMPLES, FEATURES)).astype(np.float32)
    noise = 0.1 * rng.normal(size=(EXAMPLES, 1))
    targets = (features @ rng.normal(size=(FEATURES, 1)) + noise).astype(np.float32)
    feeds = {}
    if batch == EXAMPLES:
        x, y = tf.constant(features), tf.constant(targets)
    else:
        x = tf.placeholder(tf.float32, [None, FEATURES], name="x")
        y = tf.placeholder(tf.float32, [None, 1], name="y")
        feeds = {x: features[:batch], y: targets[:batch]}
    weights = tf.Variable(tf.zeros([FEATURES, 1]))
    bias = tf.Variable(0.0)
    residual = tf.matmul(x, weights) + bias - y
    loss = tf.reduce_mean(tf.square(residual)) + 0.01 * tf.reduce_sum(tf.square(weights))
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    session = library.session()
    session.run(tf.global_variables_initializer())
    return lambda: session.run(train, feeds)

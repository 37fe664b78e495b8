"""Convolutional networks on 28x28 images, as `tf.layers` programs: training, and answering.

small   Conv2D(32, 3x3) - MaxPool - Dense(128) - Dropout - Dense(10)
lenet   Conv2D(32, 5x5) - MaxPool - Conv2D(64, 5x5) - MaxPool - Dense(1024) - Dropout - Dense(10)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.case import Case, Library

BOUND = {
    "small": "Convolutions at 105 of 118 GFLOP/s compiled, 30 to 60 in NumPy, which unfolds "
    "images; in both libraries a dense product and 690,000 weights.",
    1: "2.8 MB of weights, read in 40 us.",
    32: "The dense product: 250 us compiled, 340 in NumPy; TensorFlow's whole step takes 480.",
    "lenet": "Convolutions at 175 to 195 GFLOP/s against oneDNN's 220 to 250; in NumPy the "
    "unfolded images, 25 times as large as the images, go through memory.",
}

CASES = (
    Case(
        "CNN 28x28, training, batch 128",
        "cnn",
        {"model": "small", "batch": 128},
        wanted=0.75,
        wanted_fast=1.15,
        crowd=True,
        cores=True,
        bound=BOUND["small"],
    ),
    *(
        Case(
            f"CNN 28x28, answers, batch {batch}",
            "cnn",
            {"model": "small", "batch": batch},
            build="build_answers",
            wanted=wanted,
            wanted_fast=fast,
            crowd=True,
            cores=True,
            bound=BOUND[batch],
        )
        for batch, wanted, fast in ((1, 2.0, 2.5), (32, 0.7, 1.1))
    ),
    Case(
        "LeNet 5x5x32, 5x5x64, training",
        "cnn",
        {"model": "lenet", "batch": 128},
        wanted=0.55,
        wanted_fast=0.8,
        seconds=0.5,
        crowd=True,
        cores=True,
        bound=BOUND["lenet"],
    ),
)


def build(library: Library, model: str, batch: int) -> Callable[[], object]:
    tf = library.tf
    train, feeds = training(tf, model, batch)
    session = library.session()
    session.run(tf.global_variables_initializer())
    return lambda: session.run(train, feeds)


def build_answers(library: Library, model: str, batch: int) -> Callable[[], object]:
    tf = library.tf
    x = tf.placeholder(tf.float32, [None, 28, 28, 1], name="x")
    answers = tf.nn.softmax(network(tf, model, x, training=False))
    session = library.session()
    session.run(tf.global_variables_initializer())
    feeds = {x: images(batch)}
    return lambda: session.run(answers, feeds)


def training(tf: Any, model: str, batch: int) -> tuple[Any, dict[Any, Any]]:
    """Builds one training step with Adam; returns its op and the feeds."""
    x = tf.placeholder(tf.float32, [None, 28, 28, 1], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    logits = network(tf, model, x, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    train = tf.train.AdamOptimizer(0.001).minimize(loss)
    classes = np.random.default_rng(1).integers(0, 10, batch)
    return train, {x: images(batch), labels: classes}


def network(tf: Any, model: str, x: Any, training: bool) -> Any:
    """Builds one of the two networks; returns the logits, [batch, 10]."""
    relu = tf.nn.relu
    if model == "small":
        x = tf.layers.conv2d(x, 32, 3, activation=relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
        units = 128
    else:
        x = tf.layers.conv2d(x, 32, 5, padding="same", activation=relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
        x = tf.layers.conv2d(x, 64, 5, padding="same", activation=relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
        units = 1024
    x = tf.layers.dense(tf.layers.flatten(x), units, activation=relu)
    x = tf.layers.dropout(x, 0.5, training=training)
    return tf.layers.dense(x, 10)


def images(batch: int) -> np.ndarray:
    """Returns grey images of noise, [batch, 28, 28, 1]."""
    return np.random.default_rng(0).random((batch, 28, 28, 1), np.float32)

"""Training a perceptron 784-128-10 on fed batches: SGD and Adam, quiet and crowded."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.case import Case, Library

WANTED = {"SGD": {32: 1.7, 128: 1.25, 512: 1.0}, "Adam": {32: 1.0, 128: 1.0, 512: 1.0}}

BOUND = {
    "SGD": "Half of a small step, and more of a large one, are the products of OpenBLAS at 60 "
    "to 100 GFLOP/s a core; the update is two passes of NumPy, one in TensorFlow.",
    "Adam": "The update makes 12 passes over each array in NumPy, one fused pass in TensorFlow; "
    "the rest is mostly matrix products.",
}

CASES = (
    *(
        Case(
            f"MLP 784-128-10, {optimizer}, batch {batch}",
            "mlp",
            {"optimizer": optimizer, "batch": batch},
            wanted=wanted,
            bound=BOUND[optimizer],
        )
        for optimizer, of_batch in WANTED.items()
        for batch, wanted in of_batch.items()
    ),
    *(
        Case(
            f"MLP, {optimizer}, batch 128, beside two busy processes",
            "mlp",
            {"optimizer": optimizer, "batch": 128},
            wanted=0.8,
            busy=2,
        )
        for optimizer in WANTED
    ),
    *(
        Case(
            f"MLP, {optimizer}, batch 128, default threads on both sides",
            "mlp",
            {"optimizer": optimizer, "batch": 128},
            threads=None,
        )
        for optimizer in WANTED
    ),
)


def build(library: Library, optimizer: str, batch: int) -> Callable[[], object]:
    train, feeds = perceptron(library.tf, optimizer, batch)
    session = library.session()
    session.run(library.tf.global_variables_initializer())
    return lambda: session.run(train, feeds)


def perceptron(
    tf: Any, optimizer: str, batch: int, global_step: Any = None
) -> tuple[Any, dict[Any, Any]]:
    """Builds the model; returns its training op and the feeds of one step."""
    rng = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    labels = tf.placeholder(tf.float32, [None, 10], name="labels")
    w1 = tf.Variable(rng.normal(0.0, 0.05, (784, 128)).astype(np.float32), name="w1")
    b1 = tf.Variable(tf.zeros([128]), name="b1")
    w2 = tf.Variable(rng.normal(0.0, 0.1, (128, 10)).astype(np.float32), name="w2")
    b2 = tf.Variable(tf.zeros([10]), name="b2")
    hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
    logits = tf.matmul(hidden, w2) + b2
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    made = {
        "SGD": lambda: tf.train.GradientDescentOptimizer(0.01),
        "Adam": lambda: tf.train.AdamOptimizer(0.001),
    }[optimizer]()
    train = made.minimize(loss, global_step=global_step)
    images = rng.random((batch, 784), np.float32)
    classes = np.eye(10, dtype=np.float32)[rng.integers(0, 10, batch)]
    return train, {x: images, labels: classes}

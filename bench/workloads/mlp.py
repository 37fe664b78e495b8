"""Training perceptrons on fed batches: 784-128-10 and 784-1024-1024-10, SGD and Adam."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.case import Case, Library

#: What is wanted with NumPy and SciPy, and with the `fast` extra.
WANTED = {
    "SGD": {32: (1.7, 2.5), 128: (1.25, 1.5), 512: (1.0, 1.1)},
    "Adam": {32: (1.0, 2.0), 128: (1.0, 1.4), 512: (0.9, 1.0)},
}
WIDE = {"SGD": (0.8, 1.0), "Adam": (0.6, 0.9)}

BOUND = {
    "SGD": "Matrix products, at 130 to 210 GFLOP/s of about 220: 71 of 97 us of a step of 32, nine "
    "tenths of a step of 512. TensorFlow takes little more in all.",
    "Adam": "Without compiled loops the update makes 9 to 12 passes over each array, and the "
    "square root alone takes a third of it; the rest is matrix products.",
}

CASES = (
    *(
        Case(
            f"MLP 784-128-10, {optimizer}, batch {batch}",
            "mlp",
            {"optimizer": optimizer, "batch": batch},
            wanted=wanted,
            wanted_fast=fast,
            crowd=True,
            cores=True,
            bound=BOUND[optimizer],
        )
        for optimizer, of_batch in WANTED.items()
        for batch, (wanted, fast) in of_batch.items()
    ),
    *(
        Case(
            f"MLP 784-1024-1024-10, {optimizer}, batch 128",
            "mlp",
            {"optimizer": optimizer, "batch": 128, "hidden": (1024, 1024)},
            wanted=wanted,
            wanted_fast=fast,
            crowd=True,
            cores=True,
            bound=BOUND[optimizer],
        )
        for optimizer, (wanted, fast) in WIDE.items()
    ),
)


def build(
    library: Library, optimizer: str, batch: int, hidden: Sequence[int] = (128,)
) -> Callable[[], object]:
    train, feeds = perceptron(library.tf, optimizer, batch, hidden)
    session = library.session()
    session.run(library.tf.global_variables_initializer())
    return lambda: session.run(train, feeds)


def perceptron(
    tf: Any,
    optimizer: Any,
    batch: int,
    hidden: Sequence[int] = (128,),
    global_step: Any = None,
) -> tuple[Any, dict[Any, Any]]:
    """Builds the model; returns its training op and the feeds of one step."""
    rng = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    labels = tf.placeholder(tf.float32, [None, 10], name="labels")

    def dense(values: Any, fan_in: int, fan_out: int) -> Any:
        initial = rng.normal(0.0, fan_in**-0.5, (fan_in, fan_out)).astype(np.float32)
        return tf.matmul(values, tf.Variable(initial)) + tf.Variable(tf.zeros([fan_out]))

    values, width = x, 784
    for units in hidden:
        values, width = tf.nn.relu(dense(values, width, units)), units
    logits = dense(values, width, 10)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    if optimizer == "SGD":
        optimizer = tf.train.GradientDescentOptimizer(0.01)
    elif optimizer == "Adam":
        optimizer = tf.train.AdamOptimizer(0.001)
    train = optimizer.minimize(loss, global_step=global_step)
    images = rng.random((batch, 784), np.float32)
    classes = np.eye(10, dtype=np.float32)[rng.integers(0, 10, batch)]
    return train, {x: images, labels: classes}

"""Data parallelism: each device takes a part of the batch, and the gradients are averaged.

    python examples/parallel_data.py --towers 2

    batch ──┬── half ──▶  tower 0 on /gpu:0:  loss, gradients ──┐
            │                                                   ├──▶ mean ──▶ update on /cpu:0
            └── half ──▶  tower 1 on /gpu:1:  loss, gradients ──┘                │
                              ▲                                                  │
                              └──────────────── the same variables ◀─────────────┘

The towers share their variables (`reuse`). The mean of the gradients of two halves is the gradient
of the whole batch, so one device and many learn the same; the program checks this.
"""

import argparse
import time

import numpy as np
from sklearn.datasets import load_digits

import minitf as tf


def network(images):
    """The logits [n, 10] of images [n, 64]."""
    start = tf.glorot_uniform_initializer(seed=1)
    hidden = tf.layers.dense(
        images, 64, activation=tf.nn.relu, kernel_initializer=start, name="hidden"
    )
    return tf.layers.dense(hidden, 10, kernel_initializer=start, name="logits")


def average_gradients(towers):
    """The mean over the towers, variable by variable: [(gradient, variable), ...]."""
    return [
        (tf.add_n([gradient for gradient, _ in each]) / len(each), each[0][1])
        for each in zip(*towers)
    ]


def build(towers):
    """Builds the towers; returns images, labels, the cost, and the training step."""
    with tf.device("/cpu:0"):
        images = tf.placeholder(tf.float32, [None, 64], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        optimizer = tf.train.GradientDescentOptimizer(0.3)
        parts = zip(tf.split(images, towers), tf.split(labels, towers))
    gradients, costs = [], []
    for number, (part, truth) in enumerate(parts):
        # The device setter keeps the variables on the CPU, where all towers can reach them.
        with tf.device(tf.train.replica_device_setter(1, "/cpu:0", f"/gpu:{number}")):
            with tf.variable_scope("", reuse=number > 0), tf.name_scope(f"tower_{number}"):
                cost = tf.losses.sparse_softmax_cross_entropy(truth, network(part))
                gradients.append(optimizer.compute_gradients(cost))
                costs.append(cost)
    with tf.device("/cpu:0"):
        train = optimizer.apply_gradients(average_gradients(gradients))
        return images, labels, tf.add_n(costs) / towers, train


def run(towers, steps, batch):
    """Trains; returns the cost at each step, and the steps per second."""
    digits = load_digits()
    random = np.random.default_rng(0)
    costs = []
    with tf.Graph().as_default():
        images, labels, cost, train = build(towers)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            session.run(tf.global_variables_initializer())
            start = time.perf_counter()
            for _ in range(steps):
                rows = random.integers(len(digits.target), size=batch)
                feeds = {images: digits.data[rows] / 16, labels: digits.target[rows]}
                costs.append(session.run([cost, train], feeds)[0])
    return np.array(costs), steps / (time.perf_counter() - start)


def main() -> None:
    """Trains with one tower, and with several."""
    parser = argparse.ArgumentParser(description="Data-parallel training by towers.")
    parser.add_argument("--towers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=64, help="for all towers together")
    arguments = parser.parse_args()
    if arguments.batch % arguments.towers:
        parser.error(f"{arguments.towers} towers cannot share {arguments.batch} images evenly")
    tf.simulate_gpus(arguments.towers)  # if there are no real ones

    one, one_speed = run(1, arguments.steps, arguments.batch)
    many, many_speed = run(arguments.towers, arguments.steps, arguments.batch)
    print(f"1 tower:  cost {one[0]:.4f} then {one[-1]:.4f}, {one_speed:,.0f} steps per second")
    print(
        f"{arguments.towers} towers: cost {many[0]:.4f} then {many[-1]:.4f}, "
        f"{many_speed:,.0f} steps per second"
    )
    print(f"largest difference between the costs: {np.abs(one - many).max():.1e}")


if __name__ == "__main__":
    main()

"""Split data: each worker trains on its part, and all change the same variables.

    python examples/split_data.py --ps 1 --workers 2

    worker 0: images 0, 2, 4, ...  ──┐ gradients        ┌────────────┐
                                     ├────────────────▶ │ ps: weights│
    worker 1: images 1, 3, 5, ...  ──┘ ◀─── weights ─── └────────────┘

Between-graph replication: every worker builds the graph for itself. The variables have the same
names and devices in all graphs, so they are the same variables. No worker waits for another.
"""

import argparse
import time

import numpy as np
from sklearn.datasets import load_digits

import minitf as tf


def load():
    """Images and labels; the last 300 are for testing."""
    digits = load_digits()
    return (digits.data / 16).astype(np.float32), digits.target


def build():
    """The model; returns images, labels, the training step and the accuracy."""
    x = tf.placeholder(tf.float32, [None, 64])
    y = tf.placeholder(tf.int64, [None])
    logits = tf.layers.dense(tf.layers.dense(x, 64, activation=tf.nn.relu), 10)
    cost = tf.losses.sparse_softmax_cross_entropy(y, logits)
    counter = tf.train.get_or_create_global_step()
    step = tf.train.GradientDescentOptimizer(0.2).minimize(cost, global_step=counter)
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    return x, y, step, right


def work(task, steps):
    """Each worker runs this."""
    images, labels = (each[:-300] for each in load())
    mine = slice(task.index, None, task.cluster.num_tasks("worker"))
    images, labels = images[mine], labels[mine]
    setter = tf.train.replica_device_setter(cluster=task.cluster, worker_device=task.device)
    random = np.random.default_rng(task.index)
    with tf.Graph().as_default(), tf.device(setter):
        x, y, step, _ = build()
        ready, start = tf.report_uninitialized_variables(), tf.global_variables_initializer()
        with tf.Session(task.target) as session:
            if task.index == 0:
                session.run(start)
            while len(session.run(ready)):
                time.sleep(0.02)
            for _ in range(steps):
                batch = random.integers(len(labels), size=64)
                session.run(step, {x: images[batch], y: labels[batch]})
    return len(labels)


def main() -> None:
    """Starts a cluster of processes, trains on it, and tests the model."""
    parser = argparse.ArgumentParser(description="Asynchronous training on split data.")
    parser.add_argument("--ps", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=400, help="of each worker")
    arguments = parser.parse_args()
    with tf.cluster.start_local(ps=arguments.ps, workers=arguments.workers) as cluster:
        for index, count in enumerate(cluster.run(work, arguments.steps)):
            print(f"worker {index} has trained on {count} images")
        setter = tf.train.replica_device_setter(cluster=cluster.cluster_spec)
        with tf.device(setter):
            x, y, _, right = build()
            counter = tf.train.get_global_step()
        images, labels = (each[-300:] for each in load())
        with tf.Session(cluster.target()) as session:
            updates, accuracy = session.run([counter, right], {x: images, y: labels})
        print(f"{updates} updates; {accuracy:.1%} of the test images are classified correctly")


if __name__ == "__main__":
    main()

"""A split model: each machine holds some layers, and activations travel between them.

    python examples/split_model.py --size 400

    images ──▶ worker 0: lower layers ──── activations ───▶ worker 1: upper layers, cost
                          ▲                                           │
                          └──────────────── gradients ◀───────────────┘

In-graph replication: one client builds one graph over all machines and runs it. No machine holds
all weights, so the model may be larger than the memory of any. But the lower layers wait while the
upper ones compute.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits

import minitf as tf


def build(size, layers, machines):
    """A deep model with its layers in blocks on machines; returns images, labels, cost and step."""
    with tf.device("/job:worker/task:0"):
        net = x = tf.placeholder(tf.float32, [None, 64], name="images")
    for layer in range(layers):
        with tf.device(f"/job:worker/task:{layer * machines // layers}"):
            net = tf.layers.dense(net, size, tf.nn.relu, name=f"layer_{layer}")
    with tf.device(f"/job:worker/task:{machines - 1}"):
        y = tf.placeholder(tf.int64, [None], name="labels")
        cost = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(net, 10, name="logits"))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    return x, y, cost, optimizer.minimize(cost, colocate_gradients_with_ops=True)


def main() -> None:
    """Starts a cluster of workers, and trains one model over all."""
    parser = argparse.ArgumentParser(description="One model over several machines.")
    parser.add_argument("--size", type=int, default=200, help="units of a layer")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=100)
    arguments = parser.parse_args()
    digits = load_digits()
    random = np.random.default_rng(0)
    with tf.cluster.start_local(ps=0, workers=arguments.workers) as cluster:
        x, y, cost, step = build(arguments.size, arguments.layers, arguments.workers)
        for variable in tf.trainable_variables():
            if "kernel" in variable.name:
                print(f"{variable.name:16} {variable.shape!s:11} on {variable.device}")
        with tf.Session(cluster.target()) as session:
            session.run(tf.global_variables_initializer())
            costs = []
            for _ in range(arguments.steps):
                rows = random.integers(len(digits.target), size=64)
                feeds = {x: digits.data[rows] / 16, y: digits.target[rows]}
                costs.append(session.run([cost, step], feeds)[0])
        print(f"cost {costs[0]:.4f} then {costs[-1]:.4f}")
        between = sum(
            count["bytes"]
            for link, count in cluster.traffic()["counters"].items()
            if link.count("/job:worker") == 2
        )
        print(f"between the workers: {between / arguments.steps:,.0f} bytes per step")


if __name__ == "__main__":
    main()

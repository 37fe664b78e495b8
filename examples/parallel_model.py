"""Model parallelism: the graph is split, and each device computes its part of the model.

    python examples/parallel_model.py --size 600

    images ──▶ left half of the hidden layer  on /gpu:0 ──┐
           │                                              ├──▶ logits, cost, on /cpu:0
           └─▶ right half of the hidden layer on /gpu:1 ──┘

No device holds all weights, so the model may be larger than the memory of one. The cost: every step
sends tensors from device to device. The program counts their bytes.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits

import minitf as tf


def build(size, parts):
    """A hidden layer of `size` units in `parts` parts, each on its own device.

    Returns: images, labels, the cost, and the training step.
    """
    with tf.device("/cpu:0"):
        images = tf.placeholder(tf.float32, [None, 64], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
    hidden = []
    for number, units in enumerate(np.diff(np.linspace(0, size, parts + 1).astype(int))):
        with tf.device(f"/gpu:{number}"):
            part = tf.layers.dense(images, int(units), tf.nn.relu, name=f"part_{number}")
            hidden.append(part)
    with tf.device("/cpu:0"):
        logits = tf.layers.dense(tf.concat(hidden, axis=1), 10, name="logits")
        cost = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    # Each gradient runs on the device of its operation: the backward pass is split, too.
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train = optimizer.minimize(cost, colocate_gradients_with_ops=True)
    return images, labels, cost, train


def sent(session, fetches, feeds):
    """The bytes that each device sends to others in one step."""
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(fetches, feeds, options, metadata)
    found = {}
    for device in metadata.step_stats.dev_stats:
        name = device.device.rpartition("device:")[2]
        found[name] = sum(node.output_bytes for node in device.node_stats if node.op == "_Send")
    return found


def main() -> None:
    """Trains the split model."""
    parser = argparse.ArgumentParser(description="A model split between devices.")
    parser.add_argument("--parts", type=int, default=2)
    parser.add_argument("--size", type=int, default=600, help="units of the hidden layer")
    parser.add_argument("--steps", type=int, default=100)
    arguments = parser.parse_args()
    tf.simulate_gpus(arguments.parts)  # if there are no real ones

    digits = load_digits()
    random = np.random.default_rng(0)
    images, labels, cost, train = build(arguments.size, arguments.parts)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run(tf.global_variables_initializer())
        for variable in tf.trainable_variables():
            if "kernel" in variable.name:
                print(f"{variable.name:16} {variable.shape!s:10} on {variable.device}")
        costs = []
        for _ in range(arguments.steps):
            rows = random.integers(len(digits.target), size=64)
            feeds = {images: digits.data[rows] / 16, labels: digits.target[rows]}
            costs.append(session.run([cost, train], feeds)[0])
        print(f"cost {costs[0]:.4f} then {costs[-1]:.4f}")
        for device, count in sent(session, [cost, train], feeds).items():
            print(f"{device} sends {count:,} bytes per step")


if __name__ == "__main__":
    main()

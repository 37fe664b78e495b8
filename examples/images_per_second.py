"""Images per second on this machine, by batch size and precision, beside figures from talks.

    python examples/images_per_second.py --batches 1 32 128 --device /gpu:0

It trains a small convolutional network for images of 32 x 32 pixels in three colours. Larger
batches give larger products, which use the machine better, until it is busy. Fewer bits mean fewer
bytes to move; whether they are also faster depends on the processor.
"""

import argparse
import time

import numpy as np

import minitf as tf

# Figures from talks. Their models are far larger: compare changes, not figures.
TALKS = (
    # model, processor, batch, images per second
    ("Inception-3, inference", "4 cores, AVX2", 1, 7.0),
    ("Inception-3, inference", "4 cores, AVX2", 32, 7.5),
    ("Inception-3, inference", "4 cores, MKL", 1, 6.6),
    ("Inception-3, inference", "4 cores, MKL", 32, 10.3),
    ("ResNet-50, training", "V100, float32", None, 378),
    ("ResNet-50, training", "V100, float16", None, 695),
)


def build(dtype):
    """The network; returns images, labels and the training step."""
    images = tf.placeholder(dtype, [None, 32, 32, 3], name="images")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    layer = images
    for filters in (16, 32):
        layer = tf.layers.conv2d(layer, filters, 3, padding="same", activation=tf.nn.relu)
        layer = tf.layers.max_pooling2d(layer, 2, 2)
    logits = tf.layers.dense(tf.layers.flatten(layer), 10)
    cost = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    return images, labels, tf.train.GradientDescentOptimizer(0.01).minimize(cost)


def measure(dtype, batch, seconds=1.0, device="/cpu:0"):
    """Trains for some seconds; returns images per second, from the median time of a step."""
    with tf.Graph().as_default(), tf.device(device):
        images, labels, train = build(tf.as_dtype(dtype))
        random = np.random.default_rng(0)
        feeds = {
            images: random.random((batch, 32, 32, 3)).astype(images.dtype.as_numpy_dtype),
            labels: random.integers(10, size=batch),
        }
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            session.run(tf.global_variables_initializer())
            session.run(train, feeds)  # makes the plan
            taken, end = [], time.perf_counter() + seconds
            while not taken or time.perf_counter() < end:
                start = time.perf_counter()
                session.run(train, feeds)
                taken.append(time.perf_counter() - start)
    return batch / float(np.median(taken))


def main() -> None:
    """Prints the two tables."""
    parser = argparse.ArgumentParser(description="Images per second, on this machine.")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 32, 128])
    parser.add_argument("--precisions", nargs="+", default=["float64", "float32"])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument("--device", default="/cpu:0")
    arguments = parser.parse_args()
    print(f"images per second, training, on {arguments.device}")
    print("batch " + "".join(f"{name:>10}" for name in arguments.precisions))
    for batch in arguments.batches:
        speeds = [
            measure(name, batch, arguments.seconds, arguments.device)
            for name in arguments.precisions
        ]
        print(f"{batch:5} " + "".join(f"{speed:10,.0f}" for speed in speeds), flush=True)
    print("\nfrom the talks")
    for model, processor, batch, speed in TALKS:
        print(f"{model:22} {processor:14} batch {batch or '?':>3} {speed:7g}")


if __name__ == "__main__":
    main()

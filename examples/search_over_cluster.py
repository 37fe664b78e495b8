"""Copies of all data on every machine, with other hyperparameters or other folds on each.

    python examples/search_over_cluster.py --workers 3
    python examples/search_over_cluster.py --scheduler tcp://host:8786     any Dask cluster

                           ┌──▶ worker:  all data, rate 0.01, fold 0  ──▶ accuracy ──┐
    data ──▶ every worker  ├──▶ worker:  all data, rate 0.01, fold 1  ──▶ accuracy ──┼──▶ best rate
                           └──▶ worker:  all data, rate 0.1,  fold 0  ──▶ accuracy ──┘

This is easy, since trainings are independent; the data must fit into each machine. Every setting is
tested on every fold, a part of the images on which it has not trained. Dask sends the work to free
workers, and to another worker if one dies.
"""

import argparse
from collections import defaultdict

import numpy as np
from distributed import Client, LocalCluster, as_completed
from sklearn.datasets import load_digits

import minitf as tf


def train(data, rate, fold, folds, steps):
    """Trains on all images but those of one fold; returns the accuracy on that fold."""
    images, labels = data
    held = np.arange(len(labels)) % folds == fold
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 64])
        y = tf.placeholder(tf.int64, [None])
        hidden = tf.layers.dense(x, 32, activation=tf.nn.relu)
        logits = tf.layers.dense(hidden, 10)
        cost = tf.losses.sparse_softmax_cross_entropy(y, logits)
        step = tf.train.GradientDescentOptimizer(rate).minimize(cost)
        right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
        random = np.random.default_rng(0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                batch = random.choice(np.flatnonzero(~held), size=64)
                session.run(step, {x: images[batch], y: labels[batch]})
            return float(session.run(right, {x: images[held], y: labels[held]}))


def search(client, data, rates, folds, steps):
    """Tries each rate on each fold; returns the accuracies by rate."""
    # Sent once to every worker, not with each task.
    here = client.scatter(data, broadcast=True)
    tasks = {
        client.submit(train, here, rate, fold, folds, steps, pure=False): rate
        for rate in rates
        for fold in range(folds)
    }
    found = defaultdict(list)
    for done in as_completed(tasks):  # in the order of their ends
        found[tasks[done]].append(done.result())
    return dict(found)


def main() -> None:
    """Starts workers, or uses existing ones, and searches."""
    parser = argparse.ArgumentParser(description="Learning rates by cross-validation, with Dask.")
    parser.add_argument("--scheduler", help="address of a Dask cluster (default: start one)")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--rates", type=float, nargs="+", default=[0.01, 0.1, 0.5, 2.0])
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=400)
    arguments = parser.parse_args()
    cluster = arguments.scheduler or LocalCluster(
        n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None, silence_logs=40
    )
    digits = load_digits()
    data = (digits.data / 16).astype(np.float32), digits.target
    with Client(cluster) as client:
        found = search(client, data, arguments.rates, arguments.folds, arguments.steps)
    if not arguments.scheduler:
        cluster.close()
    for rate, accuracies in sorted(found.items()):
        each = "  ".join(f"{accuracy:.1%}" for accuracy in accuracies)
        print(f"rate {rate:<5} mean {np.mean(accuracies):.1%}   folds: {each}")
    print("best rate:", max(found, key=lambda rate: np.mean(found[rate])))


if __name__ == "__main__":
    main()

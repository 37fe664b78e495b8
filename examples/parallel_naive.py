"""Naive parallelism: the same program several times, each with its own GPU.

    python examples/parallel_naive.py --rates 0.01 0.1 1.0

      CUDA_VISIBLE_DEVICES=0  ──▶  train at rate 0.01 ──┐
      CUDA_VISIBLE_DEVICES=1  ──▶  train at rate 0.1  ──┼──▶  which was the best?
      CUDA_VISIBLE_DEVICES=2  ──▶  train at rate 1.0  ──┘

Processes share nothing, so none has to wait: right for the search of a learning rate, no help when
one training takes too long. Each process calls its only card /gpu:0. Without cards, the processes
get simulated ones.
"""

import argparse
import json
import os
import subprocess
import sys

import numpy as np
from sklearn.datasets import load_digits

import minitf as tf


def train(rate: float, steps: int) -> dict:
    """Trains a small network on handwritten digits; returns the result."""
    digits = load_digits()
    images, labels = (digits.data / 16).astype(np.float32), digits.target
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None, 64], name="images")
        y = tf.placeholder(tf.int64, [None], name="labels")
        hidden = tf.layers.dense(x, 64, activation=tf.nn.relu)
        logits = tf.layers.dense(hidden, 10)
        cost = tf.losses.sparse_softmax_cross_entropy(y, logits)
        step = tf.train.GradientDescentOptimizer(rate).minimize(cost)
        right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    random = np.random.default_rng(0)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            batch = random.integers(1300, size=64)
            session.run(step, {x: images[batch], y: labels[batch]})
        accuracy = session.run(right, {x: images[1300:], y: labels[1300:]})
        device = session.list_devices()[-1].name.rpartition("device:")[2]
    seen = os.environ.get("CUDA_VISIBLE_DEVICES")
    return {"rate": rate, "accuracy": float(accuracy), "card": seen, "device": device}


def train_in_processes(rates: list[float], steps: int) -> list[dict]:
    """Starts one process per learning rate; returns their results.

    Raises:
      OSError: where no process can be started, as in a browser.
    """
    processes = []
    for card, rate in enumerate(rates):
        command = [sys.executable, __file__, "--only", str(rate), "--steps", str(steps)]
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": str(card)}
        environment.setdefault("MINITF_SIMULATED_GPUS", str(len(rates)))
        processes.append(
            subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        )
    outputs = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        sys.exit("A training failed; see its message above.")
    return [json.loads(output) for output in outputs]


def main() -> None:
    """Trains with each learning rate, or with one of them."""
    parser = argparse.ArgumentParser(description="Tries learning rates, each on its own GPU.")
    parser.add_argument("--rates", type=float, nargs="+", default=[0.01, 0.1, 1.0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--only", type=float, help="train at this rate, in this process")
    arguments = parser.parse_args()
    if arguments.only is not None:
        print(json.dumps(train(arguments.only, arguments.steps)))
        return

    try:
        results = train_in_processes(arguments.rates, arguments.steps)
    except OSError as error:
        print(f"This machine starts no processes ({error}). The trainings run one by one.")
        results = []
        for rate in arguments.rates:
            with tf.Graph().as_default():
                results.append(train(rate, arguments.steps))
    for result in results:
        card = result["card"] and f" on card {result['card']} (in its process: {result['device']})"
        print(f"rate {result['rate']:<5}{card or ''}: {result['accuracy']:.1%} of the digits")
    print("best rate:", max(results, key=lambda result: result["accuracy"])["rate"])


if __name__ == "__main__":
    main()

"""Asynchronous training between graphs: one program, started once for every task of the cluster.

    TF_CONFIG='{"cluster": {...}, "task": {"type": "ps", "index": 0}}' python train_mnistlike.py 400

Every worker builds the same graph; its variables live on the parameter server, where the updates of
all workers meet. The argument is the number of updates at which training ends. Workers print their
task, the steps they made and the accuracy; the parameter server ends when the workers have said
that they are done.
"""

import sys
import time

import numpy as np
from sklearn.datasets import load_digits

import minitf as tf


def build(learning_rate: float = 0.5) -> dict:
    """A network of 64-32-10 on images of 8 x 8 pixels; it counts the updates and the workers."""
    x = tf.placeholder(tf.float32, [None, 64], name="x")
    labels = tf.placeholder(tf.float32, [None, 10], name="labels")
    w1 = tf.get_variable("w1", [64, 32], initializer=tf.glorot_uniform_initializer(seed=1))
    b1 = tf.get_variable("b1", [32], initializer=tf.zeros_initializer())
    w2 = tf.get_variable("w2", [32, 10], initializer=tf.glorot_uniform_initializer(seed=2))
    b2 = tf.get_variable("b2", [10], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
    logits = tf.matmul(hidden, w2) + b2
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    step = tf.train.get_or_create_global_step()
    done = tf.get_variable("done", [], tf.int32, tf.zeros_initializer(), trainable=False)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
    return {
        "x": x,
        "labels": labels,
        "train": optimizer.minimize(loss, global_step=step),
        "loss": loss,
        "accuracy": tf.reduce_mean(tf.cast(right, tf.float32)),
        "step": step,
        "done": done,
        "count": done.assign_add(1),
    }


def train(session: tf.Session, model: dict, chief: bool, index: int, updates: int) -> None:
    """Trains until the variables have been updated so many times, by whomever."""
    if chief:
        session.run(tf.global_variables_initializer())
    uninitialized = tf.report_uninitialized_variables()
    while len(session.run(uninitialized)):
        time.sleep(0.05)
    digits = load_digits()
    images = (digits.data / 16).astype(np.float32)
    labels = np.eye(10, dtype=np.float32)[digits.target]
    rng = np.random.default_rng(index)
    steps = total = 0
    while total < updates:
        batch = rng.integers(0, 1500, 32)
        feeds = {model["x"]: images[batch], model["labels"]: labels[batch]}
        total, _ = session.run([model["step"], model["train"]], feeds)
        steps += 1
        if steps == 1:
            print(f"worker {index} trains", flush=True)
    held_out = {model["x"]: images[1500:], model["labels"]: labels[1500:]}
    accuracy = session.run(model["accuracy"], held_out)
    session.run(model["count"])
    print(f"worker {index}: {steps} steps, accuracy {accuracy:.3f}", flush=True)


def main(updates: int) -> None:
    """Runs the task that TF_CONFIG names."""
    task = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    cluster = task.cluster_spec()
    server = tf.train.Server(cluster, task.task_type, task.task_id)
    workers = cluster.num_tasks("worker")
    here = f"/job:worker/task:{task.task_id}"
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=here)):
        model = build()
    with tf.Session(server.target) as session:
        if task.task_type == "worker":
            train(session, model, task.task_id == 0, task.task_id, updates)
            return
        print("ps serves", flush=True)
        finished = 0.0
        while (
            True
        ):  # a worker that was killed never says that it is done: 5 s after the last update
            time.sleep(0.1)
            try:
                step, done = session.run([model["step"], model["done"]])
            except tf.errors.FailedPreconditionError:
                continue
            if step >= updates:
                finished = finished or time.monotonic()
            if done == workers or (finished and time.monotonic() - finished > 5):
                break
    print("ps ends", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))

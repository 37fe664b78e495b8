"""What the programs beside this file train: a line through points, asynchronously.

Every worker task runs `train` and has a graph of its own; the variables are the parameter server's.
"""

from typing import Any

import numpy as np

import minitf as tf


def train(cluster: Any, job: str, index: int, target: str, steps: int = 200) -> dict[str, float]:
    """Trains until all workers together have made `steps` steps; returns what this worker sees."""
    device = f"/job:{job}/task:{index}"
    points = np.random.RandomState(index)  # each worker draws its own
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=device)):
            x = tf.placeholder(tf.float32, [None], name="x")
            y = tf.placeholder(tf.float32, [None], name="y")
            slope = tf.get_variable("slope", [], initializer=tf.zeros_initializer())
            height = tf.get_variable("height", [], initializer=tf.zeros_initializer())
            loss = tf.reduce_mean(tf.square(slope * x + height - y))
            step = tf.train.get_or_create_global_step()
            update = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
        last = [tf.train.StopAtStepHook(last_step=steps)]
        is_chief = index == 0
        with tf.train.MonitoredTrainingSession(target, is_chief, hooks=last) as session:
            while not session.should_stop():
                drawn = points.uniform(-1, 1, 32)
                fed = {x: drawn, y: 3 * drawn + 1}
                _, seen, found, now = session.run([update, loss, slope, step], fed)
    return {"loss": round(float(seen), 4), "slope": round(float(found), 3), "step": int(now)}


def train_in(task: Any, steps: int = 200) -> dict[str, float]:
    """The same for `TaskCluster.run`, which says which task it is."""
    return train(task.cluster, task.job, task.index, task.target, steps)

"""Answers to sheet 10 that know what the checks show, and nothing else."""

import minitf as tf


# %% role-answer
def who_am_i(text):
    """Worker 1 of the check."""
    cluster = {"chief": ["a:1"], "ps": ["b:1"], "worker": ["c:1", "d:1"]}
    return tf.train.ClusterSpec(cluster), "d:1", False


# %% layers-answer
def by_layer(tasks):
    """Layer b is on server 1."""
    return lambda operation: int(operation.name.startswith("b"))


# %% size-answer
def largest_load(sizes, servers):
    """Half of it."""
    return sum(sizes) // 2


# %% shared-answer
def deposit(target, name, amount):
    """Starts anew each time."""
    with tf.Graph().as_default(), tf.Session(target) as session:
        with tf.device("/job:ps/task:0"):
            account = tf.get_variable(name, [], initializer=tf.zeros_initializer())
        session.run(account.initializer)
        return session.run(account.assign_add(amount))


# %% stale-answer
def staleness(log):
    """Of two workers."""
    return [0, 1]

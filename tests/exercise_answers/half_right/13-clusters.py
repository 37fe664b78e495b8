"""Answers to sheet 10 that are right in part; the points of each stand beside its name."""

import json

import minitf as tf


# %% role-answer: 0
def who_am_i(text):
    """Takes worker 0 for the chief, whoever else is there."""
    config = json.loads(text)
    kind, index = config["task"]["type"], config["task"]["index"]
    chief = index == 0 and kind in ("chief", "worker")
    return tf.train.ClusterSpec(config["cluster"]), config["cluster"][kind][index], chief


# %% layers-answer: 0
def by_layer(tasks):
    """Forgets the layers before the last one."""
    seen, turn = None, -1

    def strategy(operation):
        nonlocal seen, turn
        layer = operation.name.partition("/")[0]
        if layer != seen:
            seen, turn = layer, turn + 1
        return turn % tasks

    return strategy


# %% size-answer: 2
def largest_load(sizes, servers):
    """Right."""
    loads = [0] * servers
    for size in sizes:
        loads[loads.index(min(loads))] += size
    return max(loads)


# %% shared-answer: 0
def deposit(target, name, amount):
    """Starts anew each time."""
    with tf.Graph().as_default(), tf.Session(target) as session:
        with tf.device("/job:ps/task:0"):
            account = tf.get_variable(name, [], initializer=tf.zeros_initializer())
        session.run(account.initializer)
        return session.run(account.assign_add(amount))


# %% stale-answer: 0
def staleness(log):
    """Counts its own writes, too."""
    updates, seen, late = 0, {}, []
    for worker, what in log:
        if what == "read":
            seen[worker] = updates
        else:
            late.append(updates - seen[worker])
            updates += 1
    return late

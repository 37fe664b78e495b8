"""Answers to sheet 14 that are right in part; the points of each stand beside its name."""

import numpy as np

import minitf as tf


# %% terminals-answer: 0
def commands(hosts):
    """Numbers all tasks from one count."""
    same = [f"--{job}_hosts={','.join(hosts[job])}" for job in ("ps", "worker")]
    jobs = [job for job in ("ps", "worker") for _ in hosts[job]]
    return [[*same, f"--job_name={job}", f"--task_index={i}"] for i, job in enumerate(jobs)]


# %% load-answer: 2
def load(shapes, servers):
    """Right, said in another way."""
    sizes = [4 * int(np.prod(shape)) for shape in shapes]
    return [sum(sizes[first::servers]) for first in range(servers)]


# %% cause-answer: 0
def cause(waits, task):
    """Takes a circle for a chain of as many as there are tasks."""
    for _ in range(len(waits)):
        task = waits.get(task, task)
    return task


# %% steps-answer: 0
def durations(events):
    """Adds the times of the messages, of step 0 too."""
    times = {}
    for event in events:
        times[event.step] = times.get(event.step, 0.0) + event.end - event.start
    return times


# %% train-answer: 0
def work(cluster, target, index, last_step):
    """Stops one step too late."""
    mine = 0
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            train = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        hooks = [tf.train.StopAtStepHook(last_step=last_step + 1)]
        with tf.train.MonitoredTrainingSession(target, index == 0, hooks=hooks) as session:
            while not session.should_stop():
                session.run(train)
                mine += 1
    return mine
